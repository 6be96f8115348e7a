package engine_test

import (
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/memfs/testdata/ramdisk"
)

// roleEnv tells the test binary that it is one of the processes that a test
// kills, or cuts the power of: its value names the role and what that needs.
const roleEnv = "MEMEND_TEST_ROLE"

// roles are filled by the files that need them; some don't build everywhere.
var roles = map[string]func(args []string){}

func TestMain(m *testing.M) {
	role := strings.Fields(os.Getenv(roleEnv))
	if len(role) == 0 {
		os.Exit(ramdisk.Tests(m).Run())
	}
	roles[role[0]](role[1:])
}
