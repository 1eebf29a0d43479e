package io.psf.runtime.internal.transport.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One end of a two-way stream of bytes between two processes, without blocking and without a system call. Each
 * direction is a ring of bytes with two counts that only grow: the count of bytes written, which only the writer
 * changes, and the count of bytes taken, which only the reader changes. A side publishes its count (release) after it
 * has copied, and reads the other side's count (acquire) before it copies. Long copies are published in pieces, so that
 * both sides copy at the same time.
 *
 * <p>A side that has nothing to do may sleep, and the other side rings a doorbell, which is not part of this class:
 *
 * <ul>
 *   <li>A reader calls {@link #prepareToSleep}: it sets its flag, then (full fence) checks once more for bytes. It
 *       sleeps only if there are none.
 *   <li>A writer that has written calls {@link #readerToBeWoken}: its count is published, then (full fence) it reads
 *       the flag. If the flag is set, it clears the flag and rings, once.
 *   <li>The same holds for a writer without free capacity, {@link #prepareToWait}, and a reader that has taken bytes,
 *       {@link #writerToBeWoken}.
 * </ul>
 *
 * <p>In any order of these steps, at least one side sees the other side's write. A doorbell may ring although there is
 * nothing to do; none is lost. A side calls the prepare method again before each sleep, whatever happened while it was
 * awake.
 *
 * <p>One thread at a time writes, and checks whether the reader has to be woken. One thread at a time reads, the same
 * or another one. Nothing that the other side writes to the memory makes this side read or write outside of the two
 * rings: an impossible count is an {@link IOException}, and so is every later use of that direction. If the file is
 * truncated under the mapping, access is an {@link IOException} too if the JVM reports the fault in time. It may
 * instead throw the {@link InternalError} a moment later, from whatever the thread does next.
 */
public final class SharedPipe {
    /**
     * The fifth byte of an eight-byte word that starts a gap. The first four bytes are the length of the gap, including
     * the word.
     */
    public static final long GAP = 0xB6;

    private final RingWriter writer;
    private final RingReader reader;

    SharedPipe(Ring toWrite, Ring toRead) {
        this.writer = new RingWriter(toWrite);
        this.reader = new RingReader(toRead);
    }

    /**
     * Writes as many bytes as there is free capacity for, and advances the position of {@code from}. Does not block.
     *
     * @return the number of bytes; 0 if there is no free capacity
     * @throws IOException if the other side has broken the ring
     */
    public int write(ByteBuffer from) throws IOException {
        return writer.write(from);
    }

    /**
     * Reads as many bytes as are available and fit, and advances the position of {@code into}. Does not block.
     *
     * @return the number of bytes; 0 if none are available
     * @throws IOException if the other side has broken the ring
     */
    public int read(ByteBuffer into) throws IOException {
        return reader.read(into);
    }

    /**
     * Returns memory of the ring for that many bytes. The caller writes them and then {@link #commit commits} them;
     * without a commit the reservation has no effect. Bytes that would wrap around are placed at the beginning of the
     * ring instead, and the reader finds a {@link #gap} before the end. So the reader has to know the first words of
     * what is written, to tell them from a gap.
     *
     * @param length at most {@link #mostWhole}; a multiple of 8, as all lengths written to the ring then have to be
     * @return null if there is not enough free capacity
     * @throws IOException if the other side has broken the ring
     */
    public @Nullable ByteBuffer reserve(int length) throws IOException {
        return writer.reserve(length);
    }

    /**
     * Returns the largest length for {@link #reserve}: contiguous bytes that fit into an empty ring at any position.
     */
    public int mostWhole() {
        return writer.mostWhole();
    }

    /** Publishes the bytes of the last reservation to the reader. */
    public void commit(int length) throws IOException {
        writer.commit(length);
    }

    /** True if there is free capacity to {@link #reserve} that many bytes. A racy estimate; any thread may call it. */
    public boolean hasCapacity(int length) {
        return writer.hasCapacity(length);
    }

    /** Returns the exception for an error in access to a reservation or a view: their memory is gone. */
    public IOException gone(InternalError fault) {
        return writer.gone(fault);
    }

    /** Returns the word that starts a gap of that many bytes. */
    static long gap(int length) {
        return GAP << 32 | length;
    }

    /** Returns the number of bytes that can be read, at most that many. */
    public int available(int most) throws IOException {
        return reader.there(most);
    }

    /** Returns the next eight bytes, which have to be {@link #available}. The fifth may be {@link #GAP}. */
    public long word() throws IOException {
        return reader.word();
    }

    /** Returns the number of bytes until the ring wraps around. */
    public int untilEnd() {
        return reader.untilEnd();
    }

    /** Returns a view of the next bytes in place. They have to be {@link #available}. Invalid once they are skipped. */
    public ByteBuffer view(int length) {
        return reader.view(length);
    }

    /** Releases the space of the next bytes to the other side. */
    public void skip(int length) throws IOException {
        reader.skip(length);
    }

    /** True if the other side sleeps and this side has to ring. Called after writing. True once for each sleep. */
    public boolean readerToBeWoken() throws IOException {
        return writer.readerToBeWoken();
    }

    /**
     * True if the other side waits for free capacity and this side has to ring. Called after reading. True once for
     * each wait.
     */
    public boolean writerToBeWoken() throws IOException {
        return reader.writerToBeWoken();
    }

    /**
     * Requests a doorbell for the next bytes. Called before sleeping. False if there are new bytes to read already.
     *
     * @param known bytes that are available but do not suffice
     */
    public boolean prepareToSleep(int known) throws IOException {
        return reader.prepareToSleep(known);
    }

    /**
     * Requests a doorbell for when bytes were taken. Called before waiting for free capacity. False if there is enough
     * already.
     *
     * @param wanted bytes of free capacity
     */
    public boolean prepareToWait(int wanted) throws IOException {
        return writer.prepareToWait(wanted);
    }
}
