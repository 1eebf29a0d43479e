package io.psf.runtime.transport.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One end of a two-way stream of bytes between two processes, without blocking and without a system call. Each
 * direction is a ring of bytes with two counts that only grow: of the bytes written, which the writer alone changes, and
 * of those taken, which the reader alone changes. A side publishes its count (release) after it has copied, and looks
 * at the other's (acquire) before it does. Long copies are published in pieces, so that both sides copy at once.
 *
 * <p>Who has nothing to do may sleep, and the other rings a doorbell, which is not part of this class:
 *
 * <ul>
 *   <li>A reader calls {@link #prepareToSleep}: it sets its flag, then (full fence) looks once more for bytes; only if
 *       there are none it sleeps.
 *   <li>A writer that has written calls {@link #readerToBeWoken}: its count is published, then (full fence) it looks at
 *       the flag; if that is set it clears it and rings, once.
 *   <li>The same for a writer without room, {@link #prepareToWait}, and a reader that has taken something, {@link
 *       #writerToBeWoken}.
 * </ul>
 *
 * <p>One of the two sees the other's word, whichever comes first. A doorbell may come although there is nothing to do;
 * none is lost. Whatever happened while a side was awake, it prepares anew before it sleeps.
 *
 * <p>One thread at a time writes, and asks whether the reader is to be woken; one at a time reads, another or the same.
 * Nothing that the other side does to the memory makes this side read or write outside of the two rings: a count that
 * cannot be is an {@link IOException}, and so is every later use of that direction. If the file is cut under the
 * mapping, access is an {@link IOException} too where the JVM says so in time; it may instead throw the {@link
 * InternalError} a moment later, from whatever the thread does next.
 */
public final class SharedPipe {
    /** The fifth byte of eight, whose first four say how many bytes, with these, are to be skipped. */
    public static final long GAP = 0xB6;

    private final RingWriter writer;
    private final RingReader reader;

    SharedPipe(Ring toWrite, Ring toRead) {
        this.writer = new RingWriter(toWrite);
        this.reader = new RingReader(toRead);
    }

    /**
     * Writes as much as there is room for, and moves the position of {@code from} past it.
     *
     * @return how many bytes that were; 0 if there is no room
     * @throws IOException if the other side has broken the ring
     */
    public int write(ByteBuffer from) throws IOException {
        return writer.write(from);
    }

    /**
     * Reads as much as there is and fits, and moves the position of {@code into} past it.
     *
     * @return how many bytes that were; 0 if there are none
     * @throws IOException if the other side has broken the ring
     */
    public int read(ByteBuffer into) throws IOException {
        return reader.read(into);
    }

    /**
     * Memory of the ring for so many bytes, to be written by the caller and then {@link #commit committed}, or not: then they
     * have never been. Where they would go on at the ring's beginning, they begin there, and the reader finds a {@link
     * #gap} in their place, so whoever reads has to know what lengths begin with.
     *
     * @param length a multiple of 8, as all that is written then has to be; at most {@link #mostWhole}
     * @return null if there is no room
     * @throws IOException if the other side has broken the ring
     */
    public @Nullable ByteBuffer reserve(int length) throws IOException {
        return writer.reserve(length);
    }

    /** The most that can lie in the ring in one piece, whatever lies there. */
    public int mostWhole() {
        return writer.mostWhole();
    }

    /** Shows the reader what was reserved last, and written. */
    public void commit(int length) throws IOException {
        writer.commit(length);
    }

    /** Whether there is room to {@link #reserve} so much, as near as a look can tell; for any thread. */
    public boolean hasRoom(int length) {
        return writer.hasRoom(length);
    }

    /** The failure of writing to, or reading from, what was reserved or is in place: its memory is gone. */
    public IOException gone(InternalError fault) {
        return writer.gone(fault);
    }

    /** The eight bytes that stand where so many bytes are to be skipped. */
    static long gap(int length) {
        return GAP << 32 | length;
    }

    /** How many bytes can be read, if not more than that. */
    public int available(int most) throws IOException {
        return reader.there(most);
    }

    /** The next eight bytes, which have to be {@link #available}; a {@link #GAP} in the fifth, maybe. */
    public long word() throws IOException {
        return reader.word();
    }

    /** How many bytes there are before the next ones lie at the ring's beginning. */
    public int untilEnd() {
        return reader.untilEnd();
    }

    /** The next bytes, which have to be {@link #available}, in place: they are the other side's again once skipped. */
    public ByteBuffer view(int length) {
        return reader.view(length);
    }

    /** Gives the next bytes back to the other side. */
    public void skip(int length) throws IOException {
        reader.skip(length);
    }

    /** After writing: whether the other side sleeps, and this side has to ring. True once for each time it sleeps. */
    public boolean readerToBeWoken() throws IOException {
        return writer.readerToBeWoken();
    }

    /** After reading: whether the other side waits for room, and this side has to ring. True once for each time. */
    public boolean writerToBeWoken() throws IOException {
        return reader.writerToBeWoken();
    }

    /**
     * Before sleeping: asks to be rung for when bytes come. False if there are some to read after all.
     *
     * @param known bytes that are there and not enough
     */
    public boolean prepareToSleep(int known) throws IOException {
        return reader.prepareToSleep(known);
    }

    /**
     * Before waiting for room: asks to be rung for when some bytes were taken. False if there is room after all.
     *
     * @param wanted how much room, in bytes
     */
    public boolean prepareToWait(int wanted) throws IOException {
        return writer.prepareToWait(wanted);
    }
}
