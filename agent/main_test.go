package agent

import (
	"os"
	"testing"

	"github.com/memend/memend/memfs/testdata/ramdisk"
)

func TestMain(m *testing.M) { os.Exit(ramdisk.Tests(m).AtOnce(2).Run()) }
