// A small index of words, and what it holds of memory.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
)

// Often enough for a short run.
func init() { runtime.MemProfileRate = 4096 }

type posting struct {
	document int
	places   []int
}

type index struct {
	words map[string][]posting
}

func (i *index) add(document int, text string) {
	for place, word := range strings.Fields(text) {
		list := i.words[word]
		if len(list) == 0 || list[len(list)-1].document != document {
			list = append(list, posting{document: document})
		}
		last := &list[len(list)-1]
		last.places = append(last.places, place)
		i.words[strings.Clone(word)] = list
	}
}

func text(document int) string {
	var b strings.Builder
	for n := 0; n < 400; n++ {
		fmt.Fprintf(&b, "word%d ", (document*31+n*n)%9001)
	}
	return b.String()
}

func main() {
	i := &index{words: map[string][]posting{}}
	for document := 0; document < 600; document++ {
		i.add(document, text(document))
	}
	runtime.GC()
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := pprof.Lookup("heap").WriteTo(f, 0); err != nil {
		panic(err)
	}
	f.Close()
	runtime.KeepAlive(i)
}
