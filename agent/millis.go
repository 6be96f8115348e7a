package agent

import (
	"strconv"
	"time"
)

// Millis is a duration whose JSON is a whole number of milliseconds.
type Millis time.Duration

// MarshalJSON returns the duration in milliseconds.
func (m Millis) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, time.Duration(m).Milliseconds(), 10), nil
}

// UnmarshalJSON reads a whole number of milliseconds.
func (m *Millis) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseInt(string(b), 10, 64)
	*m = Millis(time.Duration(n) * time.Millisecond)
	return err
}
