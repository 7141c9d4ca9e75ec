#include <gperftools/malloc_extension.h>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>
int main(int, char** argv) {
  std::vector<void*> kept;
  for (int i = 0; i < 16600; i++) kept.push_back(malloc(1000));
  std::string out; MallocExtension::instance()->GetHeapSample(&out); std::ofstream(argv[1]) << out;
  return kept.size() == 0;
}
