package io.psf.runtime.internal.cluster;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.OwnerFiles;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a {@link Journal}, which its owner alone can read: it has the key of the cluster's tickets.
 *
 * <pre>
 *  file    | "psfjrnl1" | fingerprint of the entries' schema: 4 | entry | entry | ..
 *  entry   | bytes of the body: 4 | bytes of the block: 4 | CRC32C of these: 4 | CRC32C of the body: 4 | body |
 *          all little-endian
 * </pre>
 *
 * Used by one thread at a time.
 */
final class JournalFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JournalFile.class);
    private static final long MAGIC = 0x316c6e726a667370L; // "psfjrnl1"
    private static final int FIRST = Long.BYTES + Integer.BYTES;
    private static final int HEADER = 4 * Integer.BYTES;
    /** The folders that schedulers of this process use. */
    private static final Set<Path> IN_USE = ConcurrentHashMap.newKeySet();

    private static final Routing ROUTING = Routing.overNodes(1);

    private final Path folder;
    private final Path place;
    private final FileLock lock;
    private final TupleWriter tuple = new TupleWriter();
    private @Nullable FileChannel channel;

    private JournalFile(Path folder, Path place, FileLock lock) {
        this.folder = folder;
        this.place = place;
        this.lock = lock;
    }

    /**
     * Locks a folder, which is made if it does not exist.
     *
     * @throws PsException with {@code CONFIGURATION} if another scheduler has locked it, or it cannot be written to
     */
    static JournalFile in(Path folder) {
        try {
            OwnerFiles.createDirectories(folder);
            OwnerFiles.forceNames(folder);
            Path place = folder.toRealPath();
            if (!IN_USE.add(place)) { // opening its lock once more would end the lock
                throw inUse(folder);
            }
            try {
                return new JournalFile(folder, place, lock(folder));
            } catch (IOException | RuntimeException e) {
                IN_USE.remove(place);
                throw e;
            }
        } catch (IOException e) {
            throw new PsException(
                    Code.CONFIGURATION,
                    "PSF_JOURNAL: " + folder + ": " + e + " (expected: a folder that can be written to)",
                    e);
        }
    }

    private static FileLock lock(Path folder) throws IOException {
        FileChannel channel = OwnerFiles.openOrCreate(folder.resolve("scheduler.lock"));
        FileLock held = channel.tryLock();
        if (held == null) {
            channel.close();
            throw inUse(folder);
        }
        return held;
    }

    private static PsException inUse(Path folder) {
        return new PsException(
                Code.CONFIGURATION,
                "PSF_JOURNAL: " + folder + " is in use by another scheduler (expected: a folder for each scheduler)");
    }

    private Path path() {
        return folder.resolve("scheduler.journal");
    }

    /**
     * Reads the entries. An incomplete last one is left out: nobody was told of it.
     *
     * @throws PsException with {@code CONFIGURATION} if the file is damaged or of another version
     */
    void read(Consumer<JournalEntry.Request> entries) {
        if (!Files.exists(path())) {
            return;
        }
        ByteBuffer bytes;
        try {
            bytes = ByteBuffer.wrap(Files.readAllBytes(path())).order(ByteOrder.LITTLE_ENDIAN);
        } catch (IOException | OutOfMemoryError e) {
            throw unreadable(0, e.toString(), e);
        }
        if (bytes.remaining() < FIRST || bytes.getLong() != MAGIC) {
            throw unreadable(0, "no journal", null);
        }
        int schema = bytes.getInt();
        if (schema != JournalEntryPsf.FUNCTION.info().fingerprint()) {
            throw unreadable(Long.BYTES, "a schema of fingerprint " + Integer.toHexString(schema), null);
        }
        while (bytes.hasRemaining()) {
            int at = bytes.position();
            boolean hasHeader = bytes.remaining() >= HEADER && checksum(bytes.slice(at, 8)) == bytes.getInt(at + 8);
            if (!hasHeader && !isZero(bytes, at + HEADER)) {
                throw unreadable(at, "an entry with a wrong checksum", null);
            }
            int length = hasHeader ? bytes.getInt(at) : 0;
            long end = (long) at + HEADER + length;
            if (!hasHeader || end > bytes.limit()) {
                LOG.warn("{}: an entry at byte {} is incomplete and is left out", path(), at);
                return;
            }
            if (checksum(bytes.slice(at + HEADER, length)) != bytes.getInt(at + 12)) {
                if (end == bytes.limit()) {
                    LOG.warn("{}: the last entry, at byte {}, is damaged and is left out", path(), at);
                    return;
                }
                throw unreadable(at, "an entry with a wrong checksum", null);
            }
            try {
                entries.accept(entry(bytes, at, (int) end));
            } catch (PsException | IllegalArgumentException e) {
                throw unreadable(at, String.valueOf(e.getMessage()), e);
            }
            bytes.position((int) end);
        }
    }

    /**
     * True if nothing but zeros follows: a machine that failed may leave them in the place of what was written last.
     */
    private static boolean isZero(ByteBuffer bytes, int from) {
        for (int at = from; at < bytes.limit(); at++) {
            if (bytes.get(at) != 0) {
                return false;
            }
        }
        return true;
    }

    private static JournalEntry.Request entry(ByteBuffer bytes, int at, int end) {
        TupleReader reader = new TupleReader()
                .begin(
                        bytes,
                        at + HEADER,
                        end,
                        bytes.getInt(at + 4),
                        0,
                        JournalEntryPsf.FUNCTION.info().version(),
                        null);
        return JournalEntryPsf.FUNCTION.read(reader);
    }

    private PsException unreadable(long at, String found, @Nullable Throwable cause) {
        return new PsException(
                Code.CONFIGURATION,
                "PSF_JOURNAL: " + path() + ", byte " + at + ": " + found
                        + " (expected: a journal of this version of psf; without the file the scheduler forms a new cluster)",
                cause);
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /**
     * Makes the file anew, with one entry that has all. The file before is there until the new one is complete.
     *
     * @return the length of the file
     */
    long rewrite(JournalEntry.Request whole) throws IOException {
        Path fresh = folder.resolve("scheduler.journal.new");
        FileChannel to = OwnerFiles.create(fresh);
        try {
            writeAll(
                    to,
                    ByteBuffer.allocate(FIRST)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putLong(MAGIC)
                            .putInt(JournalEntryPsf.FUNCTION.info().fingerprint())
                            .flip());
            writeAll(to, bytes(whole));
            to.force(true);
            Files.move(fresh, path(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            forceFolder();
        } catch (IOException e) {
            to.close();
            Files.deleteIfExists(fresh);
            throw e;
        }
        closeFile();
        channel = to;
        return to.position();
    }

    /** Makes the new name of a file last. */
    private void forceFolder() throws IOException {
        try (FileChannel entries = FileChannel.open(folder, StandardOpenOption.READ)) {
            entries.force(true);
        }
    }

    /**
     * Appends an entry.
     *
     * @return the length of the file
     */
    long append(JournalEntry.Request entry) throws IOException {
        FileChannel to = channel;
        if (to == null) {
            throw new IOException("the journal is not open");
        }
        writeAll(to, bytes(entry));
        if (entry.isForced()) {
            to.force(false);
        }
        return to.position();
    }

    private ByteBuffer bytes(JournalEntry.Request entry) {
        tuple.reset();
        JournalEntryPsf.FUNCTION.write(entry, ROUTING, 0, tuple);
        int length = Math.toIntExact(tuple.bodyLength());
        ByteBuffer bytes = ByteBuffer.allocate(Math.addExact(HEADER, length)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(length).putInt(tuple.blockLength()).position(HEADER);
        tuple.writeBody(bytes);
        bytes.flip();
        bytes.putInt(8, checksum(bytes.slice(0, 8))).putInt(12, checksum(bytes.slice(HEADER, length)));
        return bytes;
    }

    private static void writeAll(FileChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            int unused = to.write(bytes);
        }
    }

    void closeFile() throws IOException {
        if (channel != null) {
            channel.close();
            channel = null;
        }
    }

    /** Removes the file: there is nothing to go on with. */
    void delete() throws IOException {
        closeFile();
        Files.deleteIfExists(path());
    }

    @Override
    public void close() {
        try {
            closeFile();
            lock.channel().close();
        } catch (IOException e) {
            LOG.debug("closing the journal: {}", e.toString());
        } finally {
            IN_USE.remove(place);
        }
    }
}
