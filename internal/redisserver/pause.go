//go:build unix

package redisserver

import "syscall"

// Pause stops the server from doing anything, with all connections open, until
// Resume.
func (s *Server) Pause() error { return s.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume ends a Pause.
func (s *Server) Resume() error { return s.cmd.Process.Signal(syscall.SIGCONT) }
