package io.psf.builtin.internal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.RowWrites;
import io.psf.builtin.Laws;
import io.psf.builtin.image.ImageCopy;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageOutput;
import io.psf.builtin.image.ImageRows;
import io.psf.builtin.image.ShardImage;
import io.psf.builtin.optimizer.Sgd;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import io.psf.testkit.TestShard;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.BitSet;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The image of a shard has what the shard had when its copy was begun, whatever changes it meanwhile. */
@Timeout(60)
final class ImageCopyLawTest {
    private static final TensorId T = TensorId.of("t");
    private static final int ROWS = 3000;

    private static TestShard shard(boolean grows, int width) {
        PsfTest<?, ?> test = PsfTest.of(VisitPsf.bind(new Visit() {}));
        TestCluster cluster = (grows ? test.growing(T, width) : test.tensor(T, ROWS, width))
                .optimizer(new TiledOptimizer("Sgd", new Sgd(0.5f)))
                .on(1);
        return cluster.shard(T, 0);
    }

    private static float[] random(Random random, int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = random.nextFloat();
        }
        return values;
    }

    private static int[] numbers(Random random, int rows) {
        return random.ints(1 + random.nextInt(200), 0, rows).distinct().toArray();
    }

    /** Changes rows in one of all ways. */
    private static void change(TestShard shard, FloatArray early, Random random) {
        int width = shard.width();
        int rows = shard.rows();
        if (rows == 0) {
            return;
        }
        FloatArray some = random.nextBoolean() ? shard.values() : shard.slot("state", width);
        int[] numbers = numbers(random, rows);
        switch (random.nextInt(shard.spec().grows() ? 8 : 5)) {
            case 0 -> some.copyRowsFrom(numbers, 0, numbers.length, width, random(random, numbers.length * width));
            case 1 -> some.set(random.nextInt(rows * width), random.nextFloat());
            case 2 -> {
                FloatArray view = some.slice(numbers[0] * width, (numbers[0] + 1) * width);
                ByteBuffer bytes = view.offHeap();
                if (bytes != null) {
                    bytes.putFloat(0, random.nextFloat());
                }
            }
            case 3 -> early.fill(random.nextFloat());
            case 4 -> shard.slot("narrow", 1).scale(2);
            case 5 -> {
                long[] keys = random.longs(50, 0, 2 * ROWS).toArray();
                int removed = shard.removeRows(LongArray.wrap(keys));
                assertThat(removed).isPositive();
            }
            default -> shard.values().copyFrom(0, random(random, width), 0, width);
        }
        if (shard.spec().grows() && random.nextInt(4) == 0) {
            int[] made = shard.rows(LongArray.wrap(random.longs(50, 0, 2 * ROWS).toArray()));
            assertThat(made).hasSize(50);
        }
        if (shard.spec().grows() && random.nextInt(200) == 0) {
            shard.removeRows();
        }
    }

    static LongStream seeds() {
        return LongStream.range(0, Laws.cases(40));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theImageHasWhatTheShardHad(long seed) throws IOException {
        Random random = new Random(seed);
        int width = 1 + random.nextInt(60);
        TestShard shard = shard(random.nextBoolean(), width);
        int[] first = shard.rows(LongArray.wrap(LongStream.range(0, ROWS).toArray()));
        assertThat(first).hasSize(ROWS);
        shard.values().copyFrom(0, random(random, ROWS * width), 0, ROWS * width);
        shard.slot("state", width).copyFrom(0, random(random, ROWS * width), 0, ROWS * width);
        shard.slot("narrow", 1).fill(3);
        FloatArray early = shard.values().slice(width, 7 * width);

        ImageRows rows = ImageRows.ALL;
        if (random.nextInt(3) == 0) {
            BitSet changed = new BitSet();
            random.ints(random.nextInt(ROWS), 0, ROWS).forEach(changed::set);
            rows = ImageRows.changed(1, new long[] {-5, -3}, changed);
        }
        ImageHeader header = ImageHeader.of(42, shard);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        int checksum = ShardImage.write(header, rows, shard, new ImageOutput(Channels.newChannel(expected)));

        ByteArrayOutputStream image = new ByteArrayOutputStream();
        ImageCopy copy = ImageCopy.begin(
                header, rows, shard, () -> new ImageOutput(Channels.newChannel(image)), 1L << random.nextInt(26));
        assertThat(copy.isFollowing()).isTrue();
        do {
            for (int changes = random.nextInt(8); changes > 0; changes--) {
                change(shard, early, random);
            }
        } while (!copy.writePiece());
        assertThat(copy.checksum()).as("seed %d", seed).isEqualTo(checksum);
        assertThat(image.toByteArray()).as("seed %d", seed).isEqualTo(expected.toByteArray());
        assertThat(Objects.requireNonNull(shard.writes()).isWatched()).isFalse();
    }

    /** As a load does, which changes rows that it does not tell of. */
    @Test
    void theImageIsWrittenBeforeAnyRowMayChange() throws IOException {
        TestShard shard = shard(false, 50);
        ByteArrayOutputStream image = new ByteArrayOutputStream();
        ImageCopy copy = ImageCopy.begin(
                ImageHeader.of(42, shard),
                ImageRows.ALL,
                shard,
                () -> new ImageOutput(Channels.newChannel(image)),
                1 << 20);
        RowWrites writes = Objects.requireNonNull(shard.writes());
        assertThat(writes.isWatched()).isTrue();
        writes.end();
        assertThat(image.size()).isGreaterThan(ROWS * 50 * Float.BYTES);
        assertThat(copy.writePiece()).isTrue();
        assertThat(writes.isWatched()).isFalse();
    }

    /** The call that writes to the rows does not fail. */
    @Test
    void aFailureIsThatOfTheSave() throws IOException {
        TestShard shard = shard(false, 50);
        ImageCopy copy = ImageCopy.begin(
                ImageHeader.of(42, shard),
                ImageRows.ALL,
                shard,
                () -> {
                    throw new IOException("no space left");
                },
                0);
        shard.values().set(60, 1);
        shard.values().set(160, 1);
        assertThat(Objects.requireNonNull(shard.writes()).isWatched()).isFalse();
        assertThatThrownBy(copy::writePiece).isInstanceOf(IOException.class).hasMessageContaining("no space left");
        assertThat(shard.values().get(60)).isEqualTo(1);
    }

    @Test
    void aCancelledCopyKeepsNoMoreRows() throws IOException {
        TestShard shard = shard(false, 50);
        ImageCopy copy = ImageCopy.begin(
                ImageHeader.of(42, shard),
                ImageRows.ALL,
                shard,
                () -> {
                    throw new IOException("not opened");
                },
                1 << 20);
        copy.cancel();
        shard.values().set(60, 1);
        assertThat(Objects.requireNonNull(shard.writes()).isWatched()).isFalse();
    }
}
