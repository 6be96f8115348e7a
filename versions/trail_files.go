package versions

import (
	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/drafts"
)

// Drafts returns the drafts of a store. It writes nothing until a draft is kept.
func (t *Trail) Drafts(store StoreID) *drafts.Keeper { return drafts.New(t.home, store, t.now) }

// Conversations returns the conversations of the home. It writes nothing until one begins.
func (t *Trail) Conversations() *conversations.Folder { return conversations.New(t.home, t.Go) }

// NewEditCopy copies a text into the home for an external editor; see
// [drafts.NewEditCopy].
func (s *Store) NewEditCopy(name string, text []byte) (c *drafts.EditCopy, left []string, err error) {
	return drafts.NewEditCopy(s.t.home, name, text)
}
