package exchange

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/memfs/testdata/ramdisk"
)

func TestMain(m *testing.M) {
	if args := os.Getenv(importAlone); args != "" {
		if err := importRepo(strings.Split(args, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(ramdisk.Tests(m).Run())
}
