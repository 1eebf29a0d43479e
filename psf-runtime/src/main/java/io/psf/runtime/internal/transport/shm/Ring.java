package io.psf.runtime.internal.transport.shm;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one direction: two positions and two flags, each with 128 bytes of its own, since processors fetch
 * cache lines in pairs; and the data, a power of two of bytes. All access to the memory goes through this class. No
 * access leaves the ring, no matter what the memory contains.
 */
final class Ring {
    /** The bytes that the positions and flags occupy. */
    static final int CONTROL = 512;

    private static final int WRITTEN = 0;
    private static final int TAKEN = 128;
    private static final int READER_SLEEPS = 256;
    private static final int WRITER_WAITS = 384;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final ByteBuffer memory;
    private final int control;
    private final int data;
    private final int capacity;
    private @Nullable String broken;

    /**
     * Creates a ring.
     *
     * @param memory the mapped segment
     * @param control the index of the positions and flags, a multiple of 8
     * @param data the index of the data
     * @param capacity bytes of the data, a power of two
     */
    Ring(ByteBuffer memory, int control, int data, int capacity) {
        this.memory = memory;
        this.control = control;
        this.data = data;
        this.capacity = capacity;
    }

    int capacity() {
        return capacity;
    }

    /** Throws an exception if the ring has failed before. */
    void requireWhole() throws IOException {
        if (broken != null) {
            throw new IOException(broken);
        }
    }

    /** Marks the ring as broken, and returns the exception. Every later use fails with the same message. */
    IOException broken(String message, @Nullable Throwable cause) {
        broken = message;
        return new IOException(message, cause);
    }

    /** Returns the exception for an access to memory that is gone, and marks the ring as broken. */
    IOException gone(InternalError fault) {
        return broken("memory of the shared segment: gone (expected: a file of the size it was mapped with)", fault);
    }

    long written() {
        return (long) LONG.getAcquire(memory, control + WRITTEN);
    }

    void written(long position) {
        LONG.setRelease(memory, control + WRITTEN, position);
    }

    long taken() {
        return (long) LONG.getAcquire(memory, control + TAKEN);
    }

    void taken(long position) {
        LONG.setRelease(memory, control + TAKEN, position);
    }

    /** Copies bytes to the ring and advances {@code from}. */
    void put(long position, ByteBuffer from, int count) {
        int index = (int) position & (capacity - 1);
        int first = Math.min(count, capacity - index);
        memory.put(data + index, from, from.position(), first);
        if (first < count) {
            memory.put(data, from, from.position() + first, count - first);
        }
        from.position(from.position() + count);
    }

    /** Copies bytes from the ring and advances {@code into}. */
    void get(long position, ByteBuffer into, int count) {
        int index = (int) position & (capacity - 1);
        int first = Math.min(count, capacity - index);
        into.put(into.position(), memory, data + index, first);
        if (first < count) {
            into.put(into.position() + first, memory, data, count - first);
        }
        into.position(into.position() + count);
    }

    /** Returns the number of bytes from a position to the end of the ring, where it wraps around. */
    int untilEnd(long position) {
        return capacity - ((int) position & (capacity - 1));
    }

    /** Returns a view of bytes in place. They must not wrap around. */
    ByteBuffer view(long position, int count) {
        return memory.slice(data + ((int) position & (capacity - 1)), count).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns the eight bytes at a position that is a multiple of 8. */
    long word(long position) {
        return memory.getLong(data + ((int) position & (capacity - 1)));
    }

    void setWord(long position, long word) {
        memory.putLong(data + ((int) position & (capacity - 1)), word);
    }

    void readerSleeps(boolean sleeps) {
        set(READER_SLEEPS, sleeps);
    }

    /** True if the reader sleeps. Clears the flag: the caller has to wake it. */
    boolean takeSleepingReader() {
        return take(READER_SLEEPS);
    }

    void writerWaits(boolean waits) {
        set(WRITER_WAITS, waits);
    }

    /** True if the writer waits. Clears the flag: the caller has to wake it. */
    boolean takeWaitingWriter() {
        return take(WRITER_WAITS);
    }

    /** Sets a flag, before any later read (full fence). */
    private void set(int flag, boolean value) {
        INT.setOpaque(memory, control + flag, value ? 1 : 0);
        VarHandle.fullFence();
    }

    /**
     * Clears a flag and returns true if it was set. Reads the flag after all earlier writes (full fence). The read and
     * the write need not be one atomic step, since only one side sets a flag and only the other clears it for a
     * doorbell. Besides, a compare-and-set to a page whose file has been truncated ends the JVM, where plain access
     * throws an error.
     */
    private boolean take(int flag) {
        VarHandle.fullFence();
        if ((int) INT.getOpaque(memory, control + flag) == 0) {
            return false;
        }
        INT.setOpaque(memory, control + flag, 0);
        return true;
    }
}
