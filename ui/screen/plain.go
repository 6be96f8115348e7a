package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
)

// Plain is embedded in a pane that lacks some features: text input, a cursor, ages, or keys
// other than text.
type Plain struct{}

func (Plain) TakesText() bool                            { return false }
func (Plain) Press([]string, int) (tea.Cmd, keys.Result) { return nil, keys.None }
func (Plain) Cursor() (x, y int, ok bool)                { return 0, 0, false }
func (Plain) SetNow(time.Time)                           {}
