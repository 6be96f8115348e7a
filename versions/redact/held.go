package redact

import (
	"context"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/scrub"
)

// heldWith lists the held changes, of all stores, whose texts or paths contain what a scanner finds.
func heldWith(ctx context.Context, t *core.Trail, look *scrub.Scanner) (out []int64, err error) {
	err = core.View(ctx, t, func(q tables.Reader) error {
		var id int64
		var text, paths []byte
		rows := q.Rows(`SELECT h.id,coalesce(i.text,x''),h.path||char(0)||h.dest||char(0)||coalesce(i.path,'') FROM held h JOIN held_item i ON i.held=h.id ORDER BY h.id`)
		for range rows.Each(&id, &text, &paths) {
			var found scrub.Finding
			look.Text(text, &found)
			if look.Needle != nil {
				look.Text(paths, &found)
			}
			if n := len(out); found.Any() && (n == 0 || out[n-1] != id) {
				out = append(out, id)
			}
		}
		return rows.Err()
	})
	return out, err
}

// eraseHeld erases what held changes contain. One that waits can't be accepted any more.
func eraseHeld(x core.TrailTxn, held []int64) error {
	for _, id := range held {
		var store int64
		var text []byte
		rows := x.Rows(`SELECT h.store,i.text FROM held_item i JOIN held h ON h.id=i.held WHERE h.id=? AND i.text IS NOT NULL`, id)
		for range rows.Each(&store, &text) {
			if err := x.ForgetRejectedIn(store, text); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		x.Exec(`DELETE FROM held_item WHERE held=?`, id)
		x.Exec(`UPDATE held SET state=iif(state='waiting','erased',state),path='',dest='' WHERE id=?`, id)
	}
	return nil
}

// forgetRejected deletes the hashes of the lines of a content that is erased, in all stores.
func forgetRejected(x core.TrailTxn, blob int64) error {
	var any bool
	if err := x.Row(`SELECT EXISTS(SELECT 1 FROM rejected)`).Scan(&any); err != nil || !any || blob == 0 {
		return err
	}
	text, err := blobs.Get(x, blob)
	if errors.Is(err, versions.ErrDamaged) {
		return nil // nobody can compare it with a hash
	}
	if err != nil {
		return err
	}
	return x.ForgetRejectedIn(0, text)
}

// erasePins removes pins whose path contains the given text.
func erasePins(x core.TrailTxn, n *scrub.Needle, store int64, all bool) error {
	type pinned struct {
		store int64
		path  string
	}
	var gone []pinned
	var p pinned
	rows := x.Rows(`SELECT store,path FROM pin WHERE store=?1 OR ?2`, store, all)
	for range rows.Each(&p.store, &p.path) {
		if n.InString(p.path) || n.InString(memfs.Root.String()+p.path) {
			gone = append(gone, p)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, p := range gone {
		x.Exec(`DELETE FROM pin WHERE store=? AND path=?`, p.store, p.path)
	}
	return nil
}
