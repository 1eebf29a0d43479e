package io.psf.runtime.internal.transport.shm;

import static io.psf.runtime.internal.transport.shm.SegmentFiles.require;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * A file that two processes of one user have mapped, and the {@link SharedPipe} in it. The side that creates the file
 * sends its name and its token to the other side by other means. Once both have mapped it, either side deletes the
 * file. The memory exists until both processes have ended or dropped it (the garbage collector unmaps it).
 *
 * <pre>
 *      0  magic        "psf-pipe"
 *      8  version      2, int
 *     12  byte order   0x01020304, int; all is little-endian
 *     16  capacity     of each ring, int, a power of two
 *     20  opened       int, 1 once the other side has opened it
 *     24  size         of the file, long: 4096 + 2 * capacity
 *     32  token        16 random bytes
 *    128  counts and flags of the ring that the creating side writes
 *           0  bytes written, long      256  the reader sleeps, int, 0 or 1
 *         128  bytes taken, long        384  the writer waits for space, int, 0 or 1
 *    640  the same of the ring that the opening side writes
 *   4096  data of the first ring, then of the second
 * </pre>
 */
public final class SharedSegment {
    /** The default capacity of each ring, in bytes. */
    public static final int DEFAULT_CAPACITY = 1 << 20;

    /** The length of a token, in bytes. */
    public static final int TOKEN_BYTES = 16;

    private static final long MAGIC = 0x657069702d667370L;
    private static final int VERSION = 2;
    private static final int BYTE_ORDER = 0x01020304;
    private static final int SMALLEST = 4 << 10;
    private static final int LARGEST = 64 << 20;
    private static final String EXPECTED = "a power of two from " + SMALLEST + " to " + LARGEST;

    private static final int MAGIC_AT = 0;
    private static final int VERSION_AT = 8;
    private static final int BYTE_ORDER_AT = 12;
    private static final int CAPACITY_AT = 16;
    private static final int OPENED_AT = 20;
    private static final int SIZE_AT = 24;
    private static final int TOKEN_AT = 32;
    private static final int FIRST_CONTROL = 128;
    private static final int SECOND_CONTROL = FIRST_CONTROL + Ring.CONTROL;
    private static final int DATA = 4096;

    private final Path file;
    /** The file of the side that created it; null on the other side. */
    private final @Nullable HeldFile held;

    private final byte[] token;
    private final SharedPipe pipe;

    private SharedSegment(Path file, @Nullable HeldFile held, byte[] token, SharedPipe pipe) {
        this.file = file;
        this.held = held;
        this.token = token;
        this.pipe = pipe;
    }

    /**
     * Creates a segment and allocates its memory at once: in {@code /dev/shm}, or in the directory for temporary files
     * if that is not available.
     *
     * @param capacity bytes of each ring, a power of two from 4 KB to 64 MB
     * @throws IOException if there is no space for the file, or files have no owners, permissions or locks here
     */
    public static SharedSegment create(int capacity) throws IOException {
        if (!isCapacity(capacity)) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "capacity of a ring: " + capacity + " (expected: " + EXPECTED + ")");
        }
        byte[] token = SegmentFiles.random();
        HeldFile held = HeldFile.create(SegmentFiles.newPath(), size(capacity));
        try {
            ByteBuffer memory = map(held.channel(), size(capacity))
                    .putLong(MAGIC_AT, MAGIC)
                    .putInt(VERSION_AT, VERSION)
                    .putInt(BYTE_ORDER_AT, BYTE_ORDER)
                    .putInt(CAPACITY_AT, capacity)
                    .putLong(SIZE_AT, size(capacity))
                    .put(TOKEN_AT, token);
            SharedPipe pipe = new SharedPipe(first(memory, capacity), second(memory, capacity));
            return new SharedSegment(held.path(), held, token, pipe);
        } catch (IOException | RuntimeException | Error e) {
            try (held) {
                throw e;
            }
        }
    }

    /**
     * Deletes the files that processes of this user have left which were killed before they had linked. A file whose
     * process is alive is not deleted, whatever container the process runs in.
     */
    public static void deleteAbandoned() {
        SegmentFiles.deleteAbandoned();
    }

    /**
     * Opens a segment that another process of this user has created. Works once per segment.
     *
     * @param name its {@link #name}; anything else is refused
     * @param token its {@link #token}
     * @throws java.nio.file.NoSuchFileException if there is none, as on another machine or in another container
     * @throws IOException if the file is not such a segment
     */
    public static SharedSegment open(String name, byte[] token) throws IOException {
        Path file = SegmentFiles.find(name);
        try (FileChannel channel = SegmentFiles.open(file)) {
            long size = channel.size();
            require(
                    size >= size(SMALLEST) && size <= size(LARGEST),
                    "size of " + file,
                    size,
                    size(SMALLEST) + " to " + size(LARGEST));
            ByteBuffer memory = map(channel, size);
            int capacity = check(file, memory, size, token);
            return new SharedSegment(
                    file, null, token.clone(), new SharedPipe(second(memory, capacity), first(memory, capacity)));
        } catch (InternalError e) {
            throw new IOException("size of " + file + ": cut meanwhile (expected: as when it was opened)", e);
        }
    }

    /** Checks the header and returns the capacity, which is not read again. */
    private static int check(Path file, ByteBuffer memory, long size, byte[] token) throws IOException {
        long magic = memory.getLong(MAGIC_AT);
        require(magic == MAGIC, "magic of " + file, Long.toHexString(magic), Long.toHexString(MAGIC));
        int version = memory.getInt(VERSION_AT);
        require(version == VERSION, "version of " + file, version, VERSION);
        int order = memory.getInt(BYTE_ORDER_AT);
        require(order == BYTE_ORDER, "byte order of " + file, order, BYTE_ORDER);
        int capacity = memory.getInt(CAPACITY_AT);
        require(isCapacity(capacity), "capacity of " + file, capacity, EXPECTED);
        require(size == size(capacity), "size of " + file, size, size(capacity));
        long said = memory.getLong(SIZE_AT);
        require(size == said, "size stated in " + file, said, size);
        byte[] theirs = new byte[TOKEN_BYTES];
        memory.get(TOKEN_AT, theirs);
        require(MessageDigest.isEqual(theirs, token), "token of " + file, "another", "the one in the file");
        require(memory.getInt(OPENED_AT) == 0, "other side of " + file, "connected already", "none");
        memory.putInt(OPENED_AT, 1);
        return capacity;
    }

    /** Returns the name by which the other side opens the segment. */
    public String name() {
        return file.getFileName().toString();
    }

    /** Returns the token by which the other side shows that it means this very segment. */
    public byte[] token() {
        return token.clone();
    }

    /** Returns this side's end of the pipe. */
    public SharedPipe pipe() {
        return pipe;
    }

    /** Deletes the file if the other side has not done so. The memory remains mapped. */
    public void unlink() throws IOException {
        if (held != null) {
            held.close();
        } else {
            Files.deleteIfExists(file);
        }
    }

    private static ByteBuffer map(FileChannel channel, long size) throws IOException {
        return channel.map(FileChannel.MapMode.READ_WRITE, 0, size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static Ring first(ByteBuffer memory, int capacity) {
        return new Ring(memory, FIRST_CONTROL, DATA, capacity);
    }

    private static Ring second(ByteBuffer memory, int capacity) {
        return new Ring(memory, SECOND_CONTROL, DATA + capacity, capacity);
    }

    private static int size(int capacity) {
        return DATA + 2 * capacity;
    }

    private static boolean isCapacity(int capacity) {
        return Integer.bitCount(capacity) == 1 && capacity >= SMALLEST && capacity <= LARGEST;
    }
}
