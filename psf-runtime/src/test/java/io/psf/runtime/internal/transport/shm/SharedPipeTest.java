package io.psf.runtime.internal.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class SharedPipeTest {
    private static final int WRITTEN_AT = 128;
    private static final int TAKEN_AT = 256;

    private final List<SharedSegment> segments = new ArrayList<>();

    private static long seed() {
        long seed = Long.getLong("psf.test.seed", System.nanoTime());
        System.out.println("seed: " + seed);
        return seed;
    }

    /** Both ends, the creating one first. */
    private List<SharedPipe> ends(int capacity) throws IOException {
        SharedSegment created = SharedSegment.create(capacity);
        segments.add(created);
        return List.of(
                created.pipe(),
                SharedSegment.open(created.name(), created.token()).pipe());
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        for (SharedSegment segment : segments) {
            segment.unlink();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4 << 10, 64 << 10, 1 << 20})
    void bytesOfRandomSizesArriveInBothDirectionsAtOnce(int capacity) throws Exception {
        long seed = seed();
        List<SharedPipe> ends = ends(capacity);
        long end = Math.min(8 << 20, 256L * capacity);
        List<Callable<Void>> work = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            SharedPipe from = ends.get(i);
            SharedPipe to = ends.get(1 - i);
            Stream out = new Stream(seed + i, 3 * capacity / 2);
            Stream in = new Stream(seed + i, capacity);
            work.add(() -> {
                out.writeTo(from, end);
                return null;
            });
            work.add(() -> {
                in.readTo(to, end);
                return null;
            });
        }
        together(work);
    }

    @Test
    void aFullRingTakesNothingAndAnEmptyOneGivesNothing() throws IOException {
        List<SharedPipe> ends = ends(4096);
        ByteBuffer bytes = ByteBuffer.allocate(5000);
        assertThat(ends.get(1).read(bytes)).isZero();
        assertThat(ends.get(0).write(bytes)).isEqualTo(4096);
        assertThat(bytes.remaining()).isEqualTo(904);
        assertThat(ends.get(0).write(bytes)).isZero();
        assertThat(ends.get(1).read(ByteBuffer.allocate(1))).isEqualTo(1);
        assertThat(ends.get(0).write(bytes)).isEqualTo(1);
        assertThat(ends.get(1).read(ByteBuffer.allocate(5000))).isEqualTo(4096);
        assertThat(ends.get(1).read(ByteBuffer.allocate(5000))).isZero();
        assertThat(ends.get(0).read(ByteBuffer.allocate(5000)))
                .as("nothing came back")
                .isZero();
        assertThat(ends.get(0).write(ByteBuffer.allocate(0))).isZero();
    }

    @Test
    void aPieceThatGoesOverTheEndOfTheRingIsWhole() throws IOException {
        List<SharedPipe> ends = ends(4096);
        for (int at = 0; at < 3 * 4096; at += 4095) {
            byte[] bytes = new byte[4095];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (i * 31 + at);
            }
            byte[] read = new byte[4095];
            assertThat(ends.get(1).write(ByteBuffer.wrap(bytes))).isEqualTo(4095);
            assertThat(ends.get(0).read(ByteBuffer.wrap(read))).isEqualTo(4095);
            assertThat(read).isEqualTo(bytes);
        }
    }

    @Test
    void aStreamIsLongerThanAnIntegerCounts() throws IOException {
        List<SharedPipe> ends = ends(1 << 20);
        ByteBuffer from = ByteBuffer.allocateDirect(1 << 20);
        ByteBuffer into = ByteBuffer.allocateDirect(1 << 20);
        for (int i = 0; i < 4100; i++) {
            from.clear().putInt(12345, i);
            assertThat(ends.get(0).write(from)).isEqualTo(1 << 20);
            assertThat(ends.get(1).read(into.clear())).isEqualTo(1 << 20);
            assertThat(into.getInt(12345)).isEqualTo(i);
        }
    }

    @Test
    void aSleepingReaderIsRungForOnce() throws IOException {
        List<SharedPipe> ends = ends(4096);
        SharedPipe writer = ends.get(0);
        SharedPipe reader = ends.get(1);
        assertThat(writer.readerToBeWoken()).as("nobody sleeps").isFalse();
        assertThat(reader.prepareToSleep(0)).isTrue();
        writer.write(ByteBuffer.allocate(1));
        assertThat(writer.readerToBeWoken()).isTrue();
        assertThat(writer.readerToBeWoken()).as("it was rung for").isFalse();
        assertThat(reader.prepareToSleep(0)).as("there is a byte").isFalse();
        assertThat(writer.readerToBeWoken()).as("it did not sleep").isFalse();
        reader.read(ByteBuffer.allocate(1));
        assertThat(reader.prepareToSleep(0)).isTrue();
        assertThat(writer.readerToBeWoken()).isTrue();
        assertThat(reader.readerToBeWoken())
                .as("the other direction is not concerned")
                .isFalse();
    }

    @Test
    void aWriterThatWaitsForRoomIsRungForOnce() throws IOException {
        List<SharedPipe> ends = ends(4096);
        SharedPipe writer = ends.get(1);
        SharedPipe reader = ends.get(0);
        assertThat(writer.prepareToWait(1)).as("there is room").isFalse();
        writer.write(ByteBuffer.allocate(4096));
        assertThat(reader.writerToBeWoken()).as("nobody waits").isFalse();
        assertThat(writer.prepareToWait(1)).isTrue();
        reader.read(ByteBuffer.allocate(1));
        assertThat(reader.writerToBeWoken()).isTrue();
        assertThat(reader.writerToBeWoken()).as("it was rung for").isFalse();
        assertThat(writer.prepareToWait(1)).as("there is room").isFalse();
    }

    /** Half of the frames in one piece, the others not; each says how long it is, and what all of its words are. */
    @Test
    void whatIsReservedLiesInOnePiece() throws Exception {
        long seed = seed();
        List<SharedPipe> ends = ends(4096);
        int frames = 4_000;
        together(List.of(
                () -> {
                    Random random = new Random(seed);
                    SharedPipe pipe = ends.get(0);
                    for (int i = 0; i < frames; i++) {
                        int length = 8 + 8 * random.nextInt(pipe.mostWhole() / 8);
                        boolean whole = random.nextBoolean();
                        ByteBuffer frame = whole ? reserve(pipe, length) : ByteBuffer.allocate(length);
                        frame.order(ByteOrder.LITTLE_ENDIAN).putInt(length).putInt(whole ? 1 : 2);
                        while (frame.hasRemaining()) {
                            frame.putLong(i);
                        }
                        if (whole) {
                            pipe.commit(length);
                        } else {
                            write(pipe, frame.flip());
                        }
                    }
                    return null;
                },
                () -> {
                    Random random = new Random(seed);
                    SharedPipe pipe = ends.get(1);
                    for (int i = 0; i < frames; i++) {
                        int length = 8 + 8 * random.nextInt(pipe.mostWhole() / 8);
                        awaitBytes(pipe, 8);
                        while (pipe.word() >>> 32 == SharedPipe.GAP) {
                            pipe.skip((int) pipe.word());
                            awaitBytes(pipe, 8);
                        }
                        assertThat(pipe.word()).isEqualTo(length | (random.nextBoolean() ? 1L : 2L) << 32);
                        awaitBytes(pipe, length);
                        ByteBuffer frame;
                        if (pipe.word() >>> 32 == 1) {
                            frame = pipe.view(length);
                            assertThat(frame.capacity()).isEqualTo(length);
                        } else {
                            frame = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
                            pipe.read(frame);
                        }
                        for (int at = 8; at < length; at += 8) {
                            if (frame.getLong(at) != i) {
                                assertThat(frame.getLong(at)).as("frame " + i).isEqualTo(i);
                            }
                        }
                        if (frame.isDirect()) {
                            pipe.skip(length);
                        }
                    }
                    return null;
                }));
    }

    private static ByteBuffer reserve(SharedPipe pipe, int length) throws IOException {
        while (true) {
            ByteBuffer memory = pipe.reserve(length);
            if (memory != null) {
                return memory;
            }
            pause();
        }
    }

    private static void write(SharedPipe pipe, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            pipe.write(bytes);
            if (bytes.hasRemaining()) {
                pause();
            }
        }
    }

    private static void awaitBytes(SharedPipe pipe, int count) throws IOException {
        while (pipe.available(count) < count) {
            pause();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // both ends may share a processor
    private static void pause() {
        if (Thread.currentThread().isInterrupted()) {
            throw new AssertionError("interrupted (expected: the other end goes on)");
        }
        Thread.yield();
    }

    @Test
    void whatIsReservedAndNotCommittedHasNeverBeen() throws IOException {
        List<SharedPipe> ends = ends(4096);
        ends.get(0).write(ByteBuffer.allocate(3000));
        ends.get(1).read(ByteBuffer.allocate(3000));
        assertThat(ends.get(0).reserve(2000)).as("over the end").isNotNull();
        assertThat(ends.get(1).available(1)).isZero();
        reserve(ends.get(0), 16).putLong(5).putLong(6);
        ends.get(0).commit(16);
        assertThat(ends.get(1).word()).as("a gap to the end").isEqualTo(SharedPipe.GAP << 32 | 1096);
        ends.get(1).skip(1096);
        assertThat(ends.get(1).available(100)).isEqualTo(16);
        assertThat(ends.get(1).word()).isEqualTo(5);
    }

    @Test
    void whatHasNoRoomIsNotReserved() throws IOException {
        List<SharedPipe> ends = ends(4096);
        assertThat(ends.get(0).hasCapacity(2048)).isTrue();
        ends.get(0).write(ByteBuffer.allocate(2056));
        assertThat(ends.get(0).hasCapacity(1024)).isFalse();
        assertThat(ends.get(0).reserve(2048)).isNull();
        assertThat(ends.get(0).prepareToWait(2048)).isTrue();
        ends.get(1).skip(8);
        assertThat(ends.get(1).writerToBeWoken()).isTrue();
        assertThat(ends.get(0).hasCapacity(1024)).isTrue();
        assertThat(ends.get(0).reserve(2040)).isNotNull();
    }

    /** Both sides sleep whenever they can, so that each of these bytes is a chance to miss a doorbell. */
    @Test
    void noDoorbellIsLost() throws Exception {
        long seed = seed();
        List<SharedPipe> ends = ends(4096);
        Semaphore bytes = new Semaphore(0);
        Semaphore room = new Semaphore(0);
        AtomicLong end = new AtomicLong(8 << 20);
        Stream out = new Stream(seed, 600);
        Stream in = new Stream(seed, 600);
        Enough enough = new Enough();
        together(List.of(
                () -> {
                    SharedPipe pipe = ends.get(0);
                    while (out.position() < end.get()) {
                        if (out.position() > 1 << 18 && enough.isReached()) {
                            end.set(out.position());
                            continue;
                        }
                        if (out.write(pipe)) {
                            if (pipe.readerToBeWoken()) {
                                bytes.release();
                            }
                        } else if (pipe.prepareToWait(1)) {
                            ring(room, "writer at " + out.position());
                        }
                    }
                    bytes.release(); // the reader may wait for more
                    return null;
                },
                () -> {
                    SharedPipe pipe = ends.get(1);
                    while (in.position() < end.get()) {
                        if (in.read(pipe)) {
                            if (pipe.writerToBeWoken()) {
                                room.release();
                            }
                        } else if (pipe.prepareToSleep(0)) {
                            ring(bytes, "reader at " + in.position());
                        }
                    }
                    return null;
                }));
    }

    /**
     * The reader goes to sleep at the very moment at which the writer writes, so that each would miss the other's word
     * if it read before its own was out.
     */
    @Test
    void aByteThatComesWhileTheReaderFallsAsleepIsRungFor() throws Exception {
        List<SharedPipe> ends = ends(4096);
        Semaphore bytes = new Semaphore(0);
        AtomicInteger read = new AtomicInteger();
        AtomicInteger end = new AtomicInteger(200_000);
        Enough enough = new Enough();
        together(List.of(
                () -> {
                    ByteBuffer one = ByteBuffer.allocateDirect(1);
                    for (int i = 0; i < end.get(); i++) {
                        awaitAtLeast(read, i);
                        if (i > 2000 && enough.isReached()) {
                            end.set(i + 1);
                        }
                        for (int later = i % 100; later > 0; later--) { // some nanoseconds each
                            read.getOpaque();
                        }
                        ends.get(0).write(one.clear());
                        if (ends.get(0).readerToBeWoken()) {
                            bytes.release();
                        }
                    }
                    return null;
                },
                () -> {
                    ByteBuffer one = ByteBuffer.allocateDirect(1);
                    for (int i = 0; i < end.get(); i++) {
                        while (ends.get(1).read(one.clear()) == 0) {
                            if (ends.get(1).prepareToSleep(0)) {
                                ring(bytes, "reader at " + i);
                            }
                        }
                        read.setRelease(i + 1);
                    }
                    return null;
                }));
    }

    private static void awaitAtLeast(AtomicInteger counter, int value) {
        for (int spins = 1; counter.getAcquire() < value; spins++) {
            if (spins % 1000 == 0) {
                pause();
            }
        }
    }

    /** Cuts a test short on a loaded machine, where two threads take turns a thousand times more slowly. */
    private static final class Enough {
        private final long begin = System.nanoTime();

        boolean isReached() {
            return System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(10);
        }
    }

    private static void ring(Semaphore doorbell, String who) throws InterruptedException {
        try {
            doorbell.acquire();
        } catch (InterruptedException e) {
            System.out.println("no doorbell for the " + who);
            throw e;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 9, 4096 + 11, Long.MAX_VALUE, Long.MIN_VALUE, 10L + (1L << 32)})
    void aWriterThatSaysWhatCannotBeBreaksTheRing(long written) throws IOException {
        List<SharedPipe> ends = ends(4096);
        ends.get(0).write(ByteBuffer.allocate(10));
        assertThat(ends.get(1).read(ByteBuffer.allocate(20))).isEqualTo(10);
        ByteBuffer memory = memory();
        memory.putLong(WRITTEN_AT, written);
        ByteBuffer into = ByteBuffer.allocate(9000);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> ends.get(1).read(into))
                    .isInstanceOf(IOException.class)
                    .hasMessage("bytes written to the ring: " + written + " (expected: 10 to 4106)");
            memory.putLong(WRITTEN_AT, 11); // too late
        }
        assertThat(into.position()).isZero();
        assertThatThrownBy(() -> ends.get(1).prepareToSleep(0)).isInstanceOf(IOException.class);
        assertThatThrownBy(ends.get(1)::writerToBeWoken).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 9, 4107, Long.MAX_VALUE, Long.MIN_VALUE, 4106L + (1L << 32)})
    void aReaderThatSaysWhatCannotBeBreaksTheRing(long taken) throws IOException {
        List<SharedPipe> ends = ends(4096);
        ends.get(0).write(ByteBuffer.allocate(10));
        ends.get(1).read(ByteBuffer.allocate(10));
        assertThat(ends.get(0).write(ByteBuffer.allocate(5000))).isEqualTo(4096);
        ByteBuffer memory = memory();
        memory.putLong(TAKEN_AT, taken);
        ByteBuffer from = ByteBuffer.allocate(100);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> ends.get(0).write(from))
                    .isInstanceOf(IOException.class)
                    .hasMessage("bytes taken from the ring: " + taken + " (expected: 10 to 4106)");
            memory.putLong(TAKEN_AT, 11); // too late
        }
        assertThat(from.position()).isZero();
        assertThatThrownBy(() -> ends.get(0).prepareToWait(1)).isInstanceOf(IOException.class);
        assertThatThrownBy(ends.get(0)::readerToBeWoken).isInstanceOf(IOException.class);
    }

    /** Whatever the other side makes of the whole memory, this one ends with an exception or goes on. */
    @Test
    void memoryFullOfRubbishHarmsNobody() throws IOException {
        long seed = seed();
        Random random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            List<SharedPipe> ends = ends(4096);
            ByteBuffer memory = memory();
            byte[] rubbish = new byte[memory.capacity()];
            random.nextBytes(rubbish);
            memory.put(0, rubbish);
            assertThatThrownBy(() -> ends.get(0).read(ByteBuffer.allocate(100))).isInstanceOf(IOException.class);
            assertThat(ends.get(0).write(ByteBuffer.allocate(4096))).isEqualTo(4096);
            assertThatThrownBy(() -> ends.get(0).write(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
        }
    }

    /** The memory of the newest segment, as a peer sees it. */
    private ByteBuffer memory() throws IOException {
        String name = segments.get(segments.size() - 1).name();
        try (FileChannel channel =
                FileChannel.open(SegmentFiles.find(name), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size())
                    .order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void together(List<Callable<Void>> work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(work.size());
        try {
            for (Future<Void> one : threads.invokeAll(work)) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
