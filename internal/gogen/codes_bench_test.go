package gogen_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	skaffoldenums "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums/skaffoldenumskit"
)

// lookups are all codes in a random order, beside plain maps of them.
type lookups struct {
	codes    []skaffoldenums.StatusCode
	names    []string
	byNumber map[skaffoldenums.StatusCode]*skaffoldenumskit.StatusCodeInfo
	byName   map[string]skaffoldenums.StatusCode
}

func newLookups() *lookups {
	l := &lookups{
		byNumber: make(map[skaffoldenums.StatusCode]*skaffoldenumskit.StatusCodeInfo),
		byName:   make(map[string]skaffoldenums.StatusCode),
	}
	for info := range skaffoldenumskit.StatusCodes() {
		l.codes, l.names = append(l.codes, info.Code), append(l.names, strings.Clone(info.Name))
		l.byNumber[info.Code], l.byName[strings.Clone(info.Name)] = info, info.Code
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(l.codes), func(i, j int) {
		l.codes[i], l.codes[j] = l.codes[j], l.codes[i]
		l.names[i], l.names[j] = l.names[j], l.names[i]
	})
	return l
}

// sink keeps the compiler from leaving lookups out.
var sink int

// perCode runs a benchmark whose every round looks all codes up.
func perCode(b *testing.B, name string, codes int, round func() int) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sink += round()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(codes), "ns/code")
	})
}

func BenchmarkCodeByNumber(b *testing.B) {
	l := newLookups()
	perCode(b, "kit", len(l.codes), func() (sum int) {
		for _, code := range l.codes {
			if info, ok := skaffoldenumskit.StatusCodeInfoOf(code); ok {
				sum += int(info.Class)
			}
		}
		return sum
	})
	perCode(b, "map", len(l.codes), func() (sum int) {
		for _, code := range l.codes {
			if info, ok := l.byNumber[code]; ok {
				sum += int(info.Class)
			}
		}
		return sum
	})
}

func BenchmarkCodeByName(b *testing.B) {
	l := newLookups()
	perCode(b, "kit", len(l.names), func() (sum int) {
		for _, name := range l.names {
			if code, ok := skaffoldenumskit.StatusCodeByName(name); ok {
				sum += int(code)
			}
		}
		return sum
	})
	perCode(b, "map", len(l.names), func() (sum int) {
		for _, name := range l.names {
			if code, ok := l.byName[name]; ok {
				sum += int(code)
			}
		}
		return sum
	})
}

// TestCodesDoNotAllocate covers what is used on the way of every event.
func TestCodesDoNotAllocate(t *testing.T) {
	phase := skaffoldenumskit.StatusCodePhaseBuild
	class := skaffoldenumskit.StatusCodeClassCancelled
	n := 0
	for name, f := range map[string]func(){
		"by number": func() {
			info, _ := skaffoldenumskit.StatusCodeInfoOf(skaffoldenums.StatusCode_BUILD_CANCELLED)
			n += len(info.Name)
		},
		"by name": func() {
			code, _ := skaffoldenumskit.StatusCodeByName("BUILD_CANCELLED")
			n += int(code)
		},
		"all": func() {
			for range skaffoldenumskit.StatusCodes() {
				n++
			}
		},
		"by phase": func() {
			for range phase.Codes() {
				n++
			}
		},
		"by class": func() {
			for range class.Codes() {
				n++
			}
		},
		"suggestions": func() {
			for range skaffoldenumskit.StatusCodeSuggestions(skaffoldenums.StatusCode_BUILD_PUSH_ACCESS_DENIED) {
				n++
			}
		},
		"phase name": func() { n += len(phase.String()) },
	} {
		if allocs := testing.AllocsPerRun(100, f); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}
