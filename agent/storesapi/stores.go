package storesapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/stores"
)

const maxName = 255

// storeID returns the store that the path names.
func (c *call) storeID() versions.StoreID { return versions.StoreID(c.PathValue("store")) }

func createStore(c *call) (any, error) {
	in, err := c.body()
	if err != nil {
		return nil, err
	}
	name, err := in.required("name")
	if err == nil {
		err = checkName(name)
	}
	if err != nil {
		return nil, err
	}
	description, err := in.text("description")
	if err != nil {
		return nil, err
	}
	pairs, err := in.metadata()
	if err != nil {
		return nil, err
	}
	n := versions.NewStore{Title: name, Metadata: map[string]string{}}
	if description != nil {
		n.Description = *description
	}
	for key, value := range pairs {
		if value == nil {
			return nil, invalid("metadata: %q must be a string", key)
		}
		n.Metadata[key] = *value
	}
	info, err := c.s.o.Trail.MakeStore(c.Context(), c.by, n)
	return storeOf(info), err
}

func checkName(name string) error {
	if n := utf8.RuneCountInString(name); n < 1 || n > maxName {
		return invalid("name: must be 1 to %d characters", maxName)
	}
	for _, r := range name {
		if unicode.IsControl(r) {
			return invalid("name: must not contain control characters")
		}
	}
	return nil
}

// storePlace is the position in a list of stores: the next page begins after it.
type storePlace struct {
	Created int64            `json:"c"`
	ID      versions.StoreID `json:"i"`
}

func (p storePlace) compare(o storePlace) int {
	return cmp.Or(cmp.Compare(p.Created, o.Created), cmp.Compare(p.ID, o.ID))
}

func placeOf(info versions.StoreInfo) storePlace {
	return storePlace{info.Created.UnixMicro(), info.ID}
}

func listStores(c *call) (any, error) {
	q := c.query()
	limit, archived, since, until := q.limit(), q.yes("include_archived"), q.since(), q.until()
	list := listOf("stores", archived, since.UnixMicro(), until.UnixMicro())
	before := page[storePlace](q, list)
	if q.err != nil {
		return nil, q.err
	}
	all, err := c.s.o.Trail.Stores(c.Context())
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(info versions.StoreInfo) bool {
		_, served := c.s.attachment(info.ID)
		return !served || !info.Archived.IsZero() && !archived || info.Created.Before(since) || !until.IsZero() && info.Created.After(until) ||
			before.ID != "" && placeOf(info).compare(before) >= 0
	})
	slices.SortFunc(all, func(a, b versions.StoreInfo) int { return placeOf(b).compare(placeOf(a)) })
	out := newList()
	for i, info := range all {
		if i == limit {
			out.Next = nextPage(list, placeOf(all[i-1]))
			break
		}
		out.Data = append(out.Data, storeOf(info))
	}
	return out, nil
}

func retrieveStore(c *call) (any, error) {
	info, err := history.Store(c.Context(), c.s.o.Trail, c.storeID())
	return storeOf(info), err
}

func updateStore(c *call) (any, error) {
	in, err := c.body()
	if err != nil {
		return nil, err
	}
	var u versions.StoreUpdate
	if u.Title, err = in.text("name"); err == nil && u.Title != nil {
		err = checkName(*u.Title)
	}
	if err != nil {
		return nil, err
	}
	if u.Description, err = in.text("description"); err != nil {
		return nil, err
	}
	if u.Metadata, err = in.metadata(); err != nil {
		return nil, err
	}
	info, err := stores.Update(c.Context(), c.s.o.Trail, c.by, c.storeID(), u)
	return storeOf(info), err
}

func archiveStore(c *call) (any, error) {
	if err := c.noBody(); err != nil {
		return nil, err
	}
	info, err := stores.Archive(c.Context(), c.s.o.Trail, c.by, c.storeID())
	return storeOf(info), err
}

// maxReaderWait is how long an erasure waits for readers of the trail. After that, the next writer completes it.
const maxReaderWait = 2 * time.Second

// mayErase refuses irrevocable calls unless the server allows them.
func (c *call) mayErase(instead string) error {
	if c.s.o.Erase {
		return nil
	}
	return &failure{status: http.StatusForbidden, kind: permissionError, message: "this server does not allow erasing: start it with --allow-erase, or use " + instead}
}

func deleteStore(c *call) (any, error) {
	if err := c.mayErase("`memend stores delete`"); err != nil {
		return nil, err
	}
	id := c.storeID()
	if _, err := history.Store(c.Context(), c.s.o.Trail, id); err != nil {
		return nil, err
	}
	c.s.cache.forget(id)
	defer c.s.cache.forget(id) // another request may have opened it meanwhile
	err := c.begun(func(ctx context.Context) error {
		r, err := stores.Delete(ctx, c.s.o.Trail, c.by, id, versions.Scrub{Wait: maxReaderWait})
		if r.ID == 0 {
			return err
		}
		c.erased(r) // later errors don't undo the erasure
		return nil
	})
	return deletedJSON{"memory_store_deleted", string(id)}, err
}

// erasing is the time limit of an erasure, including the wait for the lock and the search for remains; then the
// search is stopped, and the receipt says so.
const erasing = time.Minute

// begun runs do to its end even if the client disconnects, unless the server is closed.
func (c *call) begun(do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context()), erasing)
	defer cancel()
	stop := context.AfterFunc(c.s.life, cancel)
	defer stop()
	_ = http.NewResponseController(c.w).SetReadDeadline(time.Time{}) // the request was read already
	return do(ctx)
}

// erased logs the result of the search for erased bytes.
func (c *call) erased(r versions.Receipt) {
	c.s.o.Log.Info("erased", "receipt", r.ID, "outcome", r.Outcome, "found", len(r.Found)+r.More, "unknown", len(r.Unknown))
}
