package engine_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/memfs/testdata/ramdisk"
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/internal/core"
)

// roleEnv tells the test binary that it is one of the processes that a test
// kills, or cuts the power of: its value names the role and what that needs.
const roleEnv = "MEMEND_TEST_ROLE"

// roles are filled by the files that need them; some don't build everywhere.
var roles = map[string]func(args []string){}

// openNamed opens the store whose home and folder the arguments of such a process name. It ends with the process.
func openNamed(ctx context.Context, o versions.Options) (*core.Store, error) {
	t, err := vengine.Open(ctx, os.Args[1], o)
	if err != nil {
		return nil, err
	}
	info, err := t.FindStore(ctx, os.Args[2])
	if err != nil {
		return nil, err
	}
	return t.OpenStore(ctx, info.ID)
}

func TestMain(m *testing.M) {
	role := strings.Fields(os.Getenv(roleEnv))
	if len(role) == 0 {
		os.Exit(ramdisk.Tests(m).AtOnce(3).Run())
	}
	roles[role[0]](role[1:])
}
