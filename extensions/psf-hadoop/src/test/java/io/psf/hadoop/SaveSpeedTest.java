package io.psf.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.CheckpointStores;
import io.psf.builtin.Initializers;
import io.psf.builtin.Model;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.io.IOUtils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The time of saves beside that of the file system's own copy of a file of the same bytes, in turns. Copies are forced to
 * the disk, as the files of a save are: of the folder at their end, on HDFS each block.
 */
@Tag("long")
@Timeout(900)
class SaveSpeedTest {
    private static final int TABLES = 8;
    private static final int ROWS = 1 << 18;
    private static final int WIDTH = 128;
    private static final int ROUNDS = Integer.getInteger("psf.rounds", 5);

    @TempDir
    private Path folder;

    /** The measured work. */
    private interface Work {
        void run() throws IOException;
    }

    private static double seconds(Work work) throws IOException {
        long begin = System.nanoTime();
        work.run();
        return (System.nanoTime() - begin) * 1e-9;
    }

    @Test
    void savesBesideCopies() throws Exception {
        MiniDFSCluster hdfs = new MiniDFSCluster.Builder(
                        new Configuration(), folder.resolve("hdfs").toFile())
                .numDataNodes(1)
                .build();
        try (FileSystem files = hdfs.getFileSystem()) {
            hdfs.waitActive();
            Path bytes = file((long) TABLES * ROWS * WIDTH * 4);
            Path copy = folder.resolve("copy");
            compare("folder", folder.resolve("place").toString(), () -> {
                Files.copy(bytes, copy);
                try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
                    channel.force(true);
                }
                Files.delete(copy);
            });
            org.apache.hadoop.fs.Path put = new org.apache.hadoop.fs.Path("/copy");
            compare("hdfs", hdfs.getURI() + "/place", () -> {
                try (InputStream in = Files.newInputStream(bytes);
                        OutputStream out = ((DistributedFileSystem) files)
                                .createFile(put)
                                .syncBlock()
                                .create()
                                .build()) {
                    IOUtils.copyBytes(in, out, new Configuration());
                }
                files.delete(put, false);
            });
        } finally {
            hdfs.shutdown(true);
        }
    }

    private Path file(long length) throws IOException {
        Path file = folder.resolve("bytes");
        byte[] piece = new byte[1 << 20];
        new Random(1).nextBytes(piece);
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long left = length; left > 0; left -= piece.length) {
                out.write(piece);
            }
        }
        return file;
    }

    private static void compare(String name, String place, Work copy) throws IOException {
        CheckpointStore store = CheckpointStores.open(place);
        double[] saves = new double[ROUNDS];
        double[] copies = new double[ROUNDS];
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(store).start()) {
            Worker worker = cluster.worker();
            for (int i = 0; i < TABLES; i++) {
                Tensors.init(
                        worker,
                        TensorSpec.table("t" + i, ROWS, WIDTH)
                                .initializer(Initializers.uniform(-1, 1, i))
                                .optimizer(Optimizers.add()));
            }
            ModelCheckpoints checkpoints = ModelCheckpoints.at(worker, "m").keep(1);
            checkpoints.save(0, Map.of());
            for (int i = 0; i < ROUNDS; i++) {
                int step = i + 1;
                saves[i] = seconds(() -> checkpoints.save(step, Map.of()));
                copies[i] = seconds(copy);
            }
            checkpoints.delete();
        }
        Arrays.sort(saves);
        Arrays.sort(copies);
        double mb = (double) TABLES * ROWS * WIDTH * 4 / 1e6;
        System.out.printf(
                "%s: save of %.0f MB in %d tables by 2 servers: %.2f, %.2f, %.2f s; copy: %.2f, %.2f, %.2f s; speed of"
                        + " the save beside the copy, of the medians: %.2f%n",
                name,
                mb,
                TABLES,
                saves[0],
                saves[ROUNDS / 2],
                saves[ROUNDS - 1],
                copies[0],
                copies[ROUNDS / 2],
                copies[ROUNDS - 1],
                copies[ROUNDS / 2] / saves[ROUNDS / 2]);
        assertThat(Model.list(store)).isEmpty();
    }
}
