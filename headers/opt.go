package headers

// Opt is a value that a server may have left out. V counts only where OK is
// true: absent is not zero.
//
// The zero Opt is absent. Opts of comparable types can be compared with ==.
type Opt[T any] struct {
	V  T
	OK bool
}

// Some returns a value that is there.
func Some[T any](v T) Opt[T] { return Opt[T]{V: v, OK: true} }

// Or returns the value, or def where it is absent.
func (o Opt[T]) Or(def T) T {
	if o.OK {
		return o.V
	}
	return def
}
