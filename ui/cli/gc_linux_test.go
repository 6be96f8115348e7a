package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestPartsOf_AreFileBackedPages(t *testing.T) {
	smaps := `00400000-010d6000 r-xp 00000000 fe:00 12771874                           /bin/mem trail
Size:              13144 kB
Rss:               11092 kB
Anonymous:             0 kB
010d6000-01e82000 r--p 00cd6000 fe:00 12771874                           /bin/mem trail
Anonymous:            12 kB
01e82000-01f79000 rw-p 01a82000 fe:00 12771874                           /bin/mem trail
Anonymous:             0 kB
02e82000-02f79000 r--p 01a82000 fe:00 12771874                           /bin/mem trail
AnonHugePages:         0 kB
Anonymous:             0 kB
7f84a8a75000-7f84a8bcb000 r-xp 00026000 fe:00 326269                     /lib/libc.so.6
Anonymous:             0 kB
7fff9a3f9000-7fff9a3fb000 r-xp 00000000 00:00 0                          [vdso]
Anonymous:             0 kB
`
	got := fmt.Sprintf("%x", partsOf("/bin/mem trail", strings.NewReader(smaps)))
	if want := "[{400000 10d6000} {2e82000 2f79000}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestDropCode_ReducesMemoryAndKeepsRunning(t *testing.T) {
	file := func() (kB int) {
		b, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Skip(err)
		}
		_, rest, _ := strings.Cut(string(b), "RssFile:")
		if _, err := fmt.Sscan(rest, &kB); err != nil {
			t.Skip("this system does not tell: ", err)
		}
		return kB
	}
	if len(ownCode()) == 0 {
		t.Skip("this system does not tell where the program lies")
	}
	before := file()
	dropCode()
	after := file()
	if after > before*3/4 {
		t.Errorf("%d kB of the program are in memory, and %d kB after they were let go", before, after)
	}
}
