package io.psf.runtime.transport.shm;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Where one direction lies in the mapped memory: two positions and two flags, each with 128 bytes of its own, since
 * processors fetch cache lines in pairs, and a power of two of bytes. All access to the memory goes through here, and
 * none of it leaves the ring, whatever the memory holds.
 */
final class Ring {
    /** Bytes that the positions and flags take. */
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
     * A ring.
     *
     * @param memory the mapped segment
     * @param control where the positions and flags begin, a multiple of 8
     * @param data where the bytes begin
     * @param capacity how many bytes there are, a power of two
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

    /** Fails if the ring has failed before. */
    void requireWhole() throws IOException {
        if (broken != null) {
            throw new IOException(broken);
        }
    }

    /** The failure after which this ring is used no more. */
    IOException broken(String message, @Nullable Throwable cause) {
        broken = message;
        return new IOException(message, cause);
    }

    /** The failure of an access that found no memory. */
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

    /** Copies to the ring and advances {@code from}. */
    void put(long position, ByteBuffer from, int count) {
        int index = (int) position & (capacity - 1);
        int first = Math.min(count, capacity - index);
        memory.put(data + index, from, from.position(), first);
        if (first < count) {
            memory.put(data, from, from.position() + first, count - first);
        }
        from.position(from.position() + count);
    }

    /** Copies from the ring and advances {@code into}. */
    void get(long position, ByteBuffer into, int count) {
        int index = (int) position & (capacity - 1);
        int first = Math.min(count, capacity - index);
        into.put(into.position(), memory, data + index, first);
        if (first < count) {
            into.put(into.position() + first, memory, data, count - first);
        }
        into.position(into.position() + count);
    }

    /** How many bytes there are from a position on before they go on at the beginning. */
    int untilEnd(long position) {
        return capacity - ((int) position & (capacity - 1));
    }

    /** Bytes that do not go on at the beginning, in place. */
    ByteBuffer view(long position, int count) {
        return memory.slice(data + ((int) position & (capacity - 1)), count).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Eight bytes at a position that is a multiple of 8. */
    long word(long position) {
        return memory.getLong(data + ((int) position & (capacity - 1)));
    }

    void setWord(long position, long word) {
        memory.putLong(data + ((int) position & (capacity - 1)), word);
    }

    void readerSleeps(boolean sleeps) {
        set(READER_SLEEPS, sleeps);
    }

    /** Whether the reader sleeps and is this caller's to wake. */
    boolean takeSleepingReader() {
        return take(READER_SLEEPS);
    }

    void writerWaits(boolean waits) {
        set(WRITER_WAITS, waits);
    }

    /** Whether the writer waits and is this caller's to wake. */
    boolean takeWaitingWriter() {
        return take(WRITER_WAITS);
    }

    /** Sets a flag before anything that is read from here on. */
    private void set(int flag, boolean value) {
        INT.setOpaque(memory, control + flag, value ? 1 : 0);
        VarHandle.fullFence();
    }

    /**
     * Clears a flag that was set, looking at it after anything that was written until here. Only one side sets a flag
     * and only the other clears it for a doorbell, so this need not be one step; and a compare-and-set to a page whose
     * file has been cut ends the JVM, where plain access throws.
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
