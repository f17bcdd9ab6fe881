package rpc

// callStack is how many bytes of stack a call takes, roughly. A stack of 4 KiB is too small for it, and 8 KiB is
// enough.
const callStack = 4 << 10

// Stretch makes room for calls on the stack of a new goroutine that will make some. The runtime would do so in the
// midst of the first call, in two or three steps, and would move a dozen frames each time: a quarter of what that call
// costs both sides. Called first, while there is next to nothing on the stack, it costs little, and takes no more
// memory than the call would have taken.
//
//go:noinline
func Stretch() {
	var room [callStack]byte
	touch(&room)
}

// touch keeps the compiler from leaving out the room.
//
//go:noinline
func touch(room *[callStack]byte) { room[0] = 1 }
