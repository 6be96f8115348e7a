package versions

import (
	"fmt"
	"testing"
)

func TestProgress_CountsOneAndMany(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Progress{
		"12 of 300 memories sent": {Done: 12, Total: 300, Of: MemoriesSent},
		"0 of 1 memory sent":      {Total: 1, Of: MemoriesSent},
		"120 versions found":      {Done: 120, Of: VersionsFound},
		"1 version found":         {Done: 1, Of: VersionsFound},
		"1 of 9 versions read":    {Done: 1, Total: 9, Of: VersionsRead},
	} {
		if got := fmt.Sprint(p); got != want {
			t.Errorf("%+v is written %q, want %q", p, got, want)
		}
	}
}
