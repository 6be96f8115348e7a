package versions

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/memend/memend/versions/disk"
)

// While a mutation is being sent to the service, its delivery is written down in a file of the home. If the
// process dies before it has recorded what the service did, the next pull finds the file, and records the
// versions that equal what the delivery wanted as the caller's change. So it does for a request without an answer.
// A held change that such a delivery accepts keeps waiting for review.

// interruptedWait is how long the service may still be working on a request whose sender is gone. After that, a
// version that equals what was wanted is somebody else's.
const interruptedWait = time.Minute

// sendingRecord is the content of the file. It has no texts, but paths and hashes.
type sendingRecord struct {
	By       sendingBy
	Took     Inputs
	Kind     ChangeKind
	Path, To string
	Undoes   int64
	About    int64
	Undone   []int64
	Acts     []sendingAct
}

// sendingBy is a By whose actor has the names of the file, and not those that scripts read.
type sendingBy struct {
	By
	Actor sendingActor
}

type sendingActor struct {
	Kind        ActorKind
	Name, Title string
}

// by returns the caller of the delivery.
func (r sendingRecord) by() By {
	by := r.By.By
	by.Actor, by.took = Actor(r.By.Actor), r.Took
	return by
}

type sendingAct struct {
	Memory MemoryID // empty: it is created
	Path   string   // afterwards; empty: it is deleted
	SHA256 Hash
	From   int
	Source int64
}

// sendingFile returns the name of the file for a store.
func (t *Trail) sendingFile(id StoreID) string {
	return filepath.Join(t.home, hostedFolder, string(id)+".sending")
}

// noteSending writes down what a delivery is about to send. If the process dies before the file is whole, it has
// sent nothing. What other programs wrote needs no file: it is in the trail already.
func (s *replica) noteSending(d *delivery) error {
	if d.background {
		return nil
	}
	r := sendingRecord{By: sendingBy{d.by, sendingActor(d.by.Actor)}, Took: d.by.took, Kind: d.asked.kind, Path: key(d.asked.path), To: key(d.asked.to), Undoes: d.asked.undoes, About: d.asked.about}
	if len(d.local) == 0 { // they are not written down, and without them nothing is undone completely
		r.Undone = d.undone
	}
	for _, a := range d.acts {
		one := sendingAct{Memory: a.sent.id, SHA256: a.sha, From: a.from, Source: a.source}
		if !a.gone {
			one.Path = key(a.to)
		}
		r.Acts = append(r.Acts, one)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return disk.Bare(os.WriteFile(s.t.sendingFile(s.info.ID), text, 0o600))
}

// forgetSending removes the file, after the service's answers are recorded or if it did nothing.
func (s *replica) forgetSending() { _ = disk.Erase(s.t.sendingFile(s.info.ID)) }

// forgetAllSending removes the files of all stores.
func (t *Trail) forgetAllSending() error {
	all, err := os.ReadDir(filepath.Join(t.home, hostedFolder))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range all {
		if filepath.Ext(e.Name()) == ".sending" {
			err = errors.Join(err, disk.Erase(filepath.Join(t.home, hostedFolder, e.Name())))
		}
	}
	return disk.Bare(err)
}

// wasInterrupted reports whether a delivery was interrupted and not recorded since.
func (s *replica) wasInterrupted() bool {
	_, err := os.Stat(s.t.sendingFile(s.info.ID))
	return err == nil
}

// interrupted returns the delivery that was interrupted, or nil if there is none.
func (s *replica) interrupted() (*delivery, error) {
	text, err := os.ReadFile(s.t.sendingFile(s.info.ID))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var r sendingRecord
	if err != nil || json.Unmarshal(text, &r) != nil { // not whole: nothing was sent
		s.forgetSending()
		return nil, disk.Bare(err)
	}
	d := &delivery{by: r.by(), asked: request{kind: r.Kind, undoes: r.Undoes, about: r.About}, undone: r.Undone, unsure: true, made: map[string]*hostedAct{}}
	if d.asked.path, err = pathOf(r.Path); err != nil {
		return nil, err
	}
	if d.asked.to, err = pathOf(r.To); err != nil {
		return nil, err
	}
	for _, one := range r.Acts {
		a := &hostedAct{sent: sent{id: one.Memory}, sha: one.SHA256, gone: one.Path == "", from: one.From, source: one.Source}
		if a.to, err = pathOf(one.Path); err != nil {
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
func (a *hostedAct) wanted(v *HostedVersion) bool {
	if a.sent.id == "" {
		return v.Operation == Created && v.Path == a.to.String() && v.SHA256 == a.sha
	}
	if v.Memory != string(a.sent.id) || a.gone != (v.Operation == Deleted) {
		return false
	}
	return a.gone || v.Path == a.to.String() && v.SHA256 == a.sha
}

// noteRecorded removes the file after a pull, unless the service may still do what the delivery wanted.
func (s *replica) noteRecorded(d *delivery) {
	fi, err := os.Stat(s.t.sendingFile(s.info.ID))
	if err == nil && (!d.unsure || time.Since(fi.ModTime()).Abs() > interruptedWait) {
		s.forgetSending()
	}
}
