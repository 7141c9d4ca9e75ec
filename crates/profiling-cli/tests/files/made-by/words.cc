// A small index of words.
#include <map>
#include <string>
#include <vector>
#include <fstream>
#include <gperftools/heap-profiler.h>
#include <gperftools/malloc_extension.h>
struct Index {
  std::map<std::string, std::vector<int>> words;
  __attribute__((noinline)) void add(int document, const std::string& word) { words[word].push_back(document); }
};
__attribute__((noinline)) std::string word(int document, int n) { return "a word of the index, number " + std::to_string((document * 31 + n * n) % 9001); }
__attribute__((noinline)) void fill(Index& index) {
  for (int document = 0; document < 300; document++)
    for (int n = 0; n < 400; n++) index.add(document, word(document, n));
}
int main(int, char** argv) {
  Index index;
  bool exact = std::string(argv[1]) == "exact";
  if (exact) HeapProfilerStart(argv[2]);
  fill(index);
  if (exact) { HeapProfilerDump("end"); HeapProfilerStop(); }
  else { std::string out; MallocExtension::instance()->GetHeapSample(&out); std::ofstream(argv[2]) << out; }
  return index.words.size() == 0;
}
