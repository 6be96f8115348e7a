package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
)

// Plain is embedded in a pane for what it has not: text to type, a cursor, ages, or keys
// beside those that are text.
type Plain struct{}

func (Plain) TakesText() bool                            { return false }
func (Plain) Press([]string, int) (tea.Cmd, keys.Result) { return nil, keys.None }
func (Plain) Cursor() (x, y int, ok bool)                { return 0, 0, false }
func (Plain) SetNow(time.Time)                           {}
