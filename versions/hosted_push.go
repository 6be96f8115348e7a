package versions

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
)

// push sends what other programs wrote into the replica's folder, each with the hash of the content
// that it replaces. When somebody else changed the memory there first, the service's version stays
// current, and what was written here stays in the history. The caller holds the upstream lock.
func (s *Store) push(ctx context.Context, got *pulled) error {
	refused := map[int64]bool{}
	for try := 1; ; try++ {
		waiting, err := s.unsent(ctx, refused, got)
		if err != nil || len(waiting) == 0 || try > maxTries {
			return err
		}
		acts := make([]*hostedAct, len(waiting))
		for i := range waiting {
			acts[i] = waiting[i].hostedAct
		}
		done := newShare(outside, &rehearsal{asked: request{kind: KindAdopt, path: memfs.Root}})
		err = s.send(ctx, acts, done)
		var no *HostedRefusal
		switch {
		case errors.As(err, &no):
			if len(acts) > 1 { // one by one: the service may accept the others
				if err = s.pulledAfter(ctx, done, got); err == nil {
					waiting, err = s.unsent(ctx, refused, got)
				}
				if err != nil {
					return err
				}
				return s.pushEach(ctx, waiting, got)
			}
			refused[waiting[0].memory] = true
			got.Skipped = append(got.Skipped, Skipped{string(waiting[0].sent.id), waiting[0].at.String(), no})
		case err != nil && !conflicts(err):
			return err
		}
		if err := s.pulledAfter(ctx, done, got); err != nil {
			return err
		}
	}
}

// send applies acts at the service.
func (s *Store) send(ctx context.Context, acts []*hostedAct, done *share) error {
	acts, err := s.readUpstream(ctx, acts)
	if err != nil {
		return err
	}
	return send(ctx, s.up, inPlace(acts), done)
}

// pulledAfter pulls the result of what was sent.
func (s *Store) pulledAfter(ctx context.Context, done *share, got *pulled) error {
	p, err := s.pull(ctx, pulling{ours: done})
	got.add(p)
	if err == nil {
		got.Sent += done.acts
	}
	return err
}

// pushEach sends memories one by one, when push could not send them together.
func (s *Store) pushEach(ctx context.Context, waiting []unsentMemory, got *pulled) error {
	for _, w := range waiting {
		done := newShare(outside, &rehearsal{asked: request{kind: KindAdopt, path: memfs.Root}})
		err := s.send(ctx, []*hostedAct{w.hostedAct}, done)
		var no *HostedRefusal
		if errors.As(err, &no) {
			got.Skipped = append(got.Skipped, Skipped{string(w.sent.id), w.at.String(), no})
			continue
		}
		if err != nil && !conflicts(err) {
			return err
		}
		if err := s.pulledAfter(ctx, done, got); err != nil {
			return err
		}
	}
	return nil
}

// add adds the counts of another pull.
func (p *pulled) add(o pulled) {
	p.Versions += o.Versions
	p.Redacted += o.Redacted
	p.Overruled = append(p.Overruled, o.Overruled...)
	p.Skipped = append(p.Skipped, o.Skipped...)
}

// unsentMemory is a memory that differs from what the service has.
type unsentMemory struct {
	*hostedAct
	memory int64
	at     memfs.Path
}

// unsent lists the memories whose newest version the service does not have.
func (s *Store) unsent(ctx context.Context, refused map[int64]bool, got *pulled) (out []unsentMemory, err error) {
	const newest = `SELECT v.memory,v.number FROM version v JOIN memory m ON m.id=v.memory
		WHERE v.uid>=CAST('unsent-' AS BLOB) AND v.uid<CAST('unsent.' AS BLOB) AND m.store=? AND v.number=(SELECT max(number) FROM version WHERE memory=v.memory)`
	if err := s.t.get(ctx, newest+` LIMIT 1`, []any{s.id}, new(int64), new(int)); err != nil {
		return nil, unlessNone(err)
	}
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	x := s.reader(ctx)
	type pair struct {
		memory int64
		number int
	}
	var pairs []pair
	for row, err := range x.Each(newest, s.id) {
		if err != nil {
			return nil, err
		}
		var p pair
		if err := row.Scan(&p.memory, &p.number); err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	for _, p := range pairs {
		if refused[p.memory] {
			continue
		}
		now, err := nowOf(x, p.memory)
		if err != nil {
			return nil, err
		}
		w := unsentMemory{hostedAct: &hostedAct{to: now.path, sha: now.sha, gone: !now.live()}, memory: p.memory, at: now.path}
		if w.sent, err = x.sentOf(p.memory, p.number); err != nil {
			return nil, err
		}
		if !w.sent.live() {
			w.sent = sent{}
		}
		if w.gone && !w.sent.live() || !w.gone && w.sent.live() && !w.moves() && !w.changes() {
			continue
		}
		if !w.gone {
			if w.content, err = now.content(x); err != nil {
				return nil, err
			}
			if !utf8.Valid(w.content) {
				refused[p.memory] = true
				got.Skipped = append(got.Skipped, Skipped{string(w.sent.id), w.at.String(), fmt.Errorf("%w: a hosted store keeps UTF-8 text only", ErrInvalid)})
				continue
			}
		} else {
			w.at = w.sent.path
		}
		out = append(out, w)
	}
	return out, nil
}
