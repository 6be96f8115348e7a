package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/calls"
	"github.com/memend/memend/versions/internal/evidence"
)

// Spool stores a call for the next scan of the store's folder. It waits only for the disk.
func (t *Trail) Spool(store versions.StoreID, e versions.Evidence) error {
	err := e.Check()
	if err != nil {
		return err
	}
	if err = calls.Add(t.Folder, string(store), evidence.SpooledOf(e)); err != nil {
		return fmt.Errorf("store the call: %w", err)
	}
	return nil
}

// takeSpooled stores the spooled calls of this store. It returns the error of a call that can't be
// stored now: that call waits for the next scan. An invalid one is dropped.
func (s *Store) takeSpooled(ctx context.Context) (err error) {
	calls.Take(s.Trail.Folder, string(s.Opened.ID), func(b []byte) bool {
		var x evidence.Spooled
		if json.Unmarshal(b, &x) != nil {
			return true
		}
		e, invalid := x.Evidence()
		if invalid == nil {
			err = s.Report(ctx, e)
		}
		return err == nil
	})
	return err
}

// inputsOwner owns the files of spooled inputs, which are of no store.
const inputsOwner = "inputs"

// spooledInputs are inputs of a session in the format of such a file.
type spooledInputs struct {
	Agent   string             `json:"agent"`
	Door    versions.Door      `json:"door"`
	Session versions.SessionID `json:"session_id"`
	Inputs  versions.Inputs    `json:"inputs"`
	At      time.Time          `json:"at"`
}

// SpoolInputs is NoteInputs for a reporter that can't wait for the lock. It waits only for the disk.
func (t *Trail) SpoolInputs(by versions.By, in versions.Inputs, at time.Time) error {
	x := spooledInputs{Agent: by.Actor.Name, Door: by.Door, Session: by.Session, Inputs: in, At: at}
	if err := calls.Add(t.Folder, inputsOwner, x); err != nil {
		return fmt.Errorf("store what the session took in: %w", err)
	}
	return nil
}

func (t *Trail) takeInputs(ctx context.Context) (err error) {
	calls.Take(t.Folder, inputsOwner, func(b []byte) bool {
		var x spooledInputs
		if json.Unmarshal(b, &x) != nil {
			return true
		}
		err = t.NoteInputs(ctx, versions.By{Door: x.Door, Actor: versions.Actor{Kind: versions.Agent, Name: x.Agent}, Session: x.Session}, x.Inputs, x.At)
		return err == nil
	})
	return err
}

// TakeReports stores everything that is spooled, before a policy decides about what an agent's
// session writes: it may tell what the session took in, also from other stores. It fails if the
// trail is in use for too long. What can't be stored for other reasons still waits.
func TakeReports(ctx context.Context, s *Store, by versions.By) error {
	if by.Session == "" || by.Person() {
		return nil
	}
	for _, owner := range calls.Owners(s.Trail.Folder) {
		take := s.takeSpooled
		switch owner {
		case inputsOwner:
			take = s.Trail.takeInputs
		case string(s.Opened.ID):
		default:
			take = func(ctx context.Context) error { return s.Trail.takeSpooledOf(ctx, versions.StoreID(owner)) }
		}
		if err := take(ctx); errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			return fmt.Errorf("read what the session took in: %w", err)
		}
	}
	return nil
}

func (t *Trail) takeSpooledOf(ctx context.Context, id versions.StoreID) error {
	s, err := t.OpenStore(ctx, id)
	if err != nil {
		return err
	}
	return errors.Join(s.takeSpooled(ctx), s.Close())
}

// NotedCall returns the agent and the session that a hook noted for a call. It returns false when
// there is no readable note.
func (t *Trail) NotedCall(toolUse string) (versions.By, bool) {
	var x evidence.Spooled
	if toolUse == "" || !calls.FindNote(t.Folder, toolUse, &x) || x.ToolUse != toolUse {
		return versions.By{}, false
	}
	return versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: x.Agent}, Session: x.Session, ToolUse: x.ToolUse}, x.Session != ""
}
