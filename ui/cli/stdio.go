package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/memend/memend/agent/ssh"
)

// errStreamEnded is how a server of one stream ends when its client is gone.
var errStreamEnded = errors.New("the stream ended")

// streamListener accepts one connection, over two streams.
type streamListener struct {
	conn     *ssh.Conn
	accepted bool
}

// listenOn returns the listener for a client that writes to in and reads from out.
func listenOn(in io.Reader, out io.Writer) *streamListener {
	return &streamListener{conn: ssh.NewConn(in, out)}
}

// Accept returns the connection when its client has begun. The next call returns
// errStreamEnded when the connection is closed.
func (l *streamListener) Accept() (net.Conn, error) {
	if l.accepted {
		<-l.conn.Closed()
		return nil, errStreamEnded
	}
	l.accepted = true
	switch first, err := l.conn.Peek(len(ssh.Preface)); {
	case bytes.Equal(first, []byte(ssh.Preface)):
		return l.conn, nil
	case len(first) == 0 && errors.Is(err, io.EOF):
		return nil, errStreamEnded
	case err != nil && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return nil, &hinted{errors.New("standard input is not HTTP/2"), "`memend serve --listen stdio` is started by a client, such as another memend; nothing else must write to it"}
}

func (l *streamListener) Close() error { return l.conn.Close() }

func (l *streamListener) Addr() net.Addr { return ssh.Addr{} }
