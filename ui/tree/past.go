package tree

import (
	"time"

	"github.com/memtrail/memtrail/versions"
)

// ShowPast shows a tree as it was at some moment, with marks at what changed just
// then. Of an earlier moment's marks none is left.
func (t *Pane) ShowPast(d *Data, changed []versions.Entry, now time.Time) {
	clear(t.changed)
	t.Load(d, now)
	t.Mark(changed)
	t.Calm()
}
