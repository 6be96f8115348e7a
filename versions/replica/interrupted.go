package replica

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/redact"
)

// While a mutation is being sent to the service, its delivery is written down in a file of the home. If the
// process dies before it has recorded what the service did, the next pull finds the file, and records the
// versions that equal what the delivery wanted as the caller's change. So it does for a request without an answer.
// A held change that such a delivery accepts keeps waiting for review.

// InterruptedWait is how long the service may still be working on a request whose sender is gone. After that, a
// version that equals what was wanted is somebody else's.
const InterruptedWait = time.Minute

// SendingRecord is the content of the file. It has no texts, but paths and hashes.
type SendingRecord struct {
	By       SendingBy
	Took     versions.Inputs
	Kind     versions.ChangeKind
	Path, To string
	Undoes   int64
	About    int64
	Undone   []int64
	Acts     []sendingAct
}

// SendingBy is a By whose actor has the names of the file, and not those that scripts read.
type SendingBy struct {
	versions.By
	Actor SendingActor
}

// SendingActor is an actor with the names of the file.
type SendingActor struct {
	Kind        versions.ActorKind
	Name, Title string
}

// Caller returns the caller of the delivery.
func (r SendingRecord) Caller() versions.By {
	by := r.By.By
	by.Actor, by.Took = versions.Actor(r.By.Actor), r.Took
	return by
}

type sendingAct struct {
	Memory versions.MemoryID // empty: it is created
	Path   string            // afterwards; empty: it is deleted
	SHA256 versions.Hash
	From   int
	Source int64
}

// SendingFile returns the name of the file for a store.
func SendingFile(t *core.Trail, id versions.StoreID) string {
	return filepath.Join(t.Folder, redact.HostedFolder, string(id)+".sending")
}

// noteSending writes down what a delivery is about to send. If the process dies before the file is whole, it has
// sent nothing. What other programs wrote needs no file: it is in the trail already.
func (s *replica) noteSending(d *delivery) error {
	if d.background {
		return nil
	}
	r := SendingRecord{By: SendingBy{d.by, SendingActor(d.by.Actor)}, Took: d.by.Took, Kind: d.asked.Kind, Path: versions.Key(d.asked.Path), To: versions.Key(d.asked.To), Undoes: d.asked.Undoes, About: d.asked.About}
	if len(d.local) == 0 { // they are not written down, and without them nothing is undone completely
		r.Undone = d.undone
	}
	for _, a := range d.acts {
		one := sendingAct{Memory: a.sent.id, SHA256: a.sha, From: a.from, Source: a.source}
		if !a.gone {
			one.Path = versions.Key(a.to)
		}
		r.Acts = append(r.Acts, one)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(SendingFile(s.Trail, s.Opened.ID), text, 0o600)
}

// forgetSending removes the file, after the service's answers are recorded or if it did nothing.
func (s *replica) forgetSending() { _ = disk.Erase(SendingFile(s.Trail, s.Opened.ID)) }

// WasInterrupted reports whether a delivery was interrupted and not recorded since.
func (s *replica) WasInterrupted() bool {
	_, err := os.Stat(SendingFile(s.Trail, s.Opened.ID))
	return err == nil
}

// interrupted returns the delivery that was interrupted, or nil if there is none.
func (s *replica) interrupted() (*delivery, error) {
	text, err := os.ReadFile(SendingFile(s.Trail, s.Opened.ID))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r SendingRecord
	if json.Unmarshal(text, &r) != nil { // not whole: nothing was sent
		s.forgetSending()
		return nil, nil
	}
	d := &delivery{by: r.Caller(), asked: core.Request{Kind: r.Kind, Undoes: r.Undoes, About: r.About}, undone: r.Undone, unsure: true, made: map[string]*hostedAct{}}
	if d.asked.Path, err = tables.PathOf(r.Path); err != nil {
		return nil, err
	}
	if d.asked.To, err = tables.PathOf(r.To); err != nil {
		return nil, err
	}
	for _, one := range r.Acts {
		a := &hostedAct{sent: sent{id: one.Memory}, sha: one.SHA256, gone: one.Path == "", from: one.From, source: one.Source}
		if a.to, err = tables.PathOf(one.Path); err != nil {
			return nil, err
		}
		d.acts = append(d.acts, a)
	}
	return d, nil
}

// recognize finds the versions that the service made of acts without an answer. If some are missing, the change
// undoes nothing, as after a failure in the middle.
func (d *delivery) recognize(fresh []incoming) {
	found := map[*hostedAct]bool{}
	for _, a := range d.made {
		found[a] = true
	}
	for _, a := range d.acts {
		for i := range fresh {
			if v := &fresh[i].HostedVersion; !found[a] && d.made[answerKey(v)] == nil && a.wanted(v) {
				d.made[answerKey(v)], found[a] = a, true
			}
		}
	}
	for _, a := range d.acts {
		if !found[a] {
			d.undone = nil
			return
		}
	}
	d.unsure = false
}

// wanted reports whether a version is what the act wants.
func (a *hostedAct) wanted(v *versions.HostedVersion) bool {
	if a.sent.id == "" {
		return v.Operation == versions.Created && v.Path == a.to.String() && v.SHA256 == a.sha
	}
	if v.Memory != string(a.sent.id) || a.gone != (v.Operation == versions.Deleted) {
		return false
	}
	return a.gone || v.Path == a.to.String() && v.SHA256 == a.sha
}

// noteRecorded removes the file after a pull, unless the service may still do what the delivery wanted.
func (s *replica) noteRecorded(d *delivery) {
	fi, err := os.Stat(SendingFile(s.Trail, s.Opened.ID))
	if err == nil && (!d.unsure || time.Since(fi.ModTime()).Abs() > InterruptedWait) {
		s.forgetSending()
	}
}
