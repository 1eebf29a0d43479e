package io.psf.builtin.internal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageOutput;
import io.psf.builtin.image.ImageRows;
import io.psf.builtin.image.ShardImage;
import io.psf.builtin.optimizer.Sgd;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import io.psf.testkit.TestShard;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bytes of a shard's file do not change from version to version. */
class FileFormatTest {
    private static final TensorId T = TensorId.of("t");

    @TempDir
    private Path folder;

    private static void fill(FloatArray values, int of) {
        for (int i = 0; i < values.length(); i++) {
            values.set(i, (i * 7 + of) % 10_007);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "false, 3, 275, 1299557729",
        "false, 65537, 2621639, -1249500009",
        "true, 16, 1260150, -1502452592",
        "true, 70000, 2800213, 1160563447"
    })
    void aShardHasTheFileThatItHadInEarlierVersions(boolean grows, int width, long bytes, int checksum)
            throws IOException {
        int rows = grows && width < 100 ? 9000 : 5;
        PsfTest<?, ?> test = PsfTest.of(VisitPsf.bind(new Visit() {}));
        TestCluster cluster = (grows ? test.growing(T, width) : test.tensor(T, rows, width))
                .optimizer(new TiledOptimizer("Sgd", new Sgd(0.5f)))
                .on(1);
        TestShard shard = cluster.shard(T, 0);
        shard.rows(LongArray.wrap(LongStream.range(0, rows).toArray()));
        fill(shard.values(), 1);
        fill(shard.slot("state", width), 2);
        fill(shard.slot("narrow", 1), 3);
        try (FileChannel channel =
                FileChannel.open(folder.resolve("image"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ImageOutput out = new ImageOutput(channel);
            assertThat(ShardImage.write(ImageHeader.of(42, shard), ImageRows.ALL, shard, out))
                    .isEqualTo(checksum);
            assertThat(out.written()).isEqualTo(bytes);
        }
    }
}
