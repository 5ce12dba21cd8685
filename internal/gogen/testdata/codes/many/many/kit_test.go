package many_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/kits/many"
	"example.com/kits/many/manykit"
)

func TestDense(t *testing.T) {
	for name, number := range many.DenseCode_value {
		if info, ok := manykit.DenseCodeInfoOf(many.DenseCode(number)); !ok || info.Name != name || info.Number != number {
			t.Fatalf("%s = %d is %+v (%v)", name, number, info, ok)
		}
	}
	for range 100_000 {
		code := many.DenseCode(rand.Int32()) * many.DenseCode(1-2*rand.IntN(2))
		if _, ok := manykit.DenseCodeInfoOf(code); ok != (many.DenseCode_name[int32(code)] != "") {
			t.Fatalf("%d is known: %v", code, ok)
		}
	}
}

func TestSparse(t *testing.T) {
	for name, number := range many.SparseCode_value {
		info, ok := manykit.SparseCodeInfoOf(many.SparseCode(number))
		if byName, found := manykit.SparseCodeByName(name); !ok || !found || info.Name != name || byName != info.Code {
			t.Fatalf("%s = %d is %+v (%v, %v)", name, number, info, ok, found)
		}
	}
	for range 100_000 {
		code := many.SparseCode(rand.Uint32())
		if info, ok := manykit.SparseCodeInfoOf(code); ok != (many.SparseCode_name[int32(code)] != "") || !ok && info.Name != fmt.Sprint(int32(code)) {
			t.Fatalf("%d is %+v (%v)", code, info, ok)
		}
	}
	i := 0
	for info := range manykit.SparseCodes() {
		if info.Name != fmt.Sprintf("SPARSE_%d", i) {
			t.Fatalf("code %d is %s", i, info.Name)
		}
		i++
	}
}

// The numbers of SparseCode are random, so that they are found by hashing.
func BenchmarkSparse(b *testing.B) {
	var codes []many.SparseCode
	plain := make(map[many.SparseCode]*manykit.SparseCodeInfo)
	for info := range manykit.SparseCodes() {
		codes, plain[info.Code] = append(codes, info.Code), info
	}
	rand.Shuffle(len(codes), func(i, j int) { codes[i], codes[j] = codes[j], codes[i] })
	sum := 0
	b.Run("kit", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			info, _ := manykit.SparseCodeInfoOf(codes[i%10_000])
			sum += len(info.Name)
		}
	})
	b.Run("map", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			sum += len(plain[codes[i%10_000]].Name)
		}
	})
}
