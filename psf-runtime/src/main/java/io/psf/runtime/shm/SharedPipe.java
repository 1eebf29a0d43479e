package io.psf.runtime.shm;

import java.io.IOException;
import java.nio.ByteBuffer;

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

    /** After writing: whether the other side sleeps, and this side has to ring. True once for each time it sleeps. */
    public boolean readerToBeWoken() throws IOException {
        return writer.readerToBeWoken();
    }

    /** After reading: whether the other side waits for room, and this side has to ring. True once for each time. */
    public boolean writerToBeWoken() throws IOException {
        return reader.writerToBeWoken();
    }

    /** Before sleeping: asks to be rung for when bytes come. False if there are some to read after all. */
    public boolean prepareToSleep() throws IOException {
        return reader.prepareToSleep();
    }

    /** Before waiting for room: asks to be rung for when some bytes were taken. False if there is room after all. */
    public boolean prepareToWait() throws IOException {
        return writer.prepareToWait();
    }
}
