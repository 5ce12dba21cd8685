package scaffold

import (
	"fmt"
	"slices"
	"strings"
)

// Names of RPCs' files. The rule, which the README states too: the RPC's name in
// small letters, with underscores between its words. Where that name is taken by
// another file, or means something to the go command or to an operating system,
// _rpc comes behind it, and a number if that is taken, too.

// maxFileName bounds the part of a file's name that comes from an RPC: file
// systems take 255 bytes.
const maxFileName = 200

// freeName is the first name that no entry has. Entries are in small letters,
// because some file systems know no others.
func freeName(base string, entries map[string]bool) string {
	name := base
	if isReserved(base) {
		name += "_rpc"
	}
	for n := 2; entries[name+".go"]; n++ {
		switch {
		case name == base:
			name += "_rpc"
		default:
			name = fmt.Sprintf("%s_rpc%d", base, n)
		}
	}
	return name + ".go"
}

// isReserved tells names that are no plain Go files: those that the go command
// builds for tests or for one platform only, those that it ignores, and devices
// of Windows.
func isReserved(base string) bool {
	first, _, _ := strings.Cut(base, "_")
	last := base[strings.LastIndexByte(base, '_')+1:]
	return first == "" || windowsDevices[base] || last != base && (last == "test" || slices.Contains(platforms, last))
}

// platforms are the operating systems and the architectures that a file's name
// can end in, as of Go 1.26 (internal/syslist). The go command has promised to
// add no meaning to files that exist only for this list to be what it is; one
// that is added later would be a name for its users to avoid.
var platforms = strings.Fields(`aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd
	plan9 solaris wasip1 windows zos
	386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64
	ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm`)

var windowsDevices = func() map[string]bool {
	devices := map[string]bool{"con": true, "prn": true, "aux": true, "nul": true}
	for n := range 10 {
		devices[fmt.Sprint("com", n)], devices[fmt.Sprint("lpt", n)] = true, true
	}
	return devices
}()

// snake is a Go name in small letters, with underscores between its words:
// HTTPGetV2 is http_get_v2.
func snake(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if isUpper(c) && i > 0 && name[i-1] != '_' && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1])) {
			b.WriteByte('_')
		}
		b.WriteByte(c)
	}
	s := strings.Trim(strings.ToLower(b.String()), "_")
	return s[:min(len(s), maxFileName)]
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
