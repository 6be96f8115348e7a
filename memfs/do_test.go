package memfs

import (
	"errors"
	"fmt"
)

// do carries a plan out without any journal.
func (d *Dir) do(plan Plan) error {
	for _, op := range plan.Ops {
		if err := d.step(op); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dir) step(op Op) error {
	switch op.Kind {
	case OpPut:
		if _, err := d.MkdirAll(op.Path.Dir()); err != nil {
			return err
		}
		if op.MustBeNew {
			s, err := d.Stage(op.Content, 0, nil, true)
			if err != nil {
				return err
			}
			return errors.Join(s.Create(op.Path), d.SyncDir(op.Path.Dir()))
		}
		s, err := d.Stage(op.Content, 0, &op.Was, true)
		if err != nil {
			return err
		}
		return errors.Join(s.Replace(op.Path), d.SyncDir(op.Path.Dir()))
	case OpRename:
		if _, err := d.MkdirAll(op.To.Dir()); err != nil {
			return err
		}
		return d.Rename(op.Path, op.To)
	case OpRemove:
		return d.Remove(op.Path)
	}
	return fmt.Errorf("unknown step %d", op.Kind)
}

// run is what a runner of the memory tool does with one input.
func (d *Dir) run(input []byte) Result {
	c, _, refused := Decode(input)
	if refused != nil {
		return *refused
	}
	plan, result, err := Apply(d, c, Options{})
	if err == nil {
		err = d.do(plan)
	}
	if err != nil {
		return ResultOf(err, c)
	}
	return result
}
