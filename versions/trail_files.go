package versions

import (
	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/drafts"
)

// Drafts gives the drafts of a store. Nothing is written before the first is kept.
func (t *Trail) Drafts(store StoreID) *drafts.Keeper { return drafts.New(t.home, store, t.now) }

// Conversations gives the conversations of the home. Nothing is written before one begins.
func (t *Trail) Conversations() *conversations.Folder { return conversations.New(t.home, t.Go) }

// NewEditCopy makes a copy of a text in the home for an external editor; see
// [drafts.NewEditCopy].
func (s *Store) NewEditCopy(name string, text []byte) (c *drafts.EditCopy, left []string, err error) {
	return drafts.NewEditCopy(s.t.home, name, text)
}
