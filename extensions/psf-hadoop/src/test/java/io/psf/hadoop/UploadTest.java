package io.psf.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.CheckpointStores;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.jclouds.blobstore.BlobStore;
import org.jclouds.blobstore.domain.MultipartPart;
import org.jclouds.blobstore.domain.MultipartUpload;
import org.jclouds.blobstore.util.ForwardingBlobStore;
import org.jclouds.io.Payload;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files that become objects of S3. */
@Timeout(120)
class UploadTest {
    private static final int BYTES = 120 << 20;

    private static S3Server s3;

    @BeforeAll
    static void start() throws Exception {
        s3 = new S3Server(TwoParts::new);
    }

    @AfterAll
    static void stop() {
        s3.close();
    }

    private static CheckpointStore open(String name) throws IOException {
        return CheckpointStores.open(S3Server.place(name));
    }

    /** Stores the first part of an object when a second one has come. */
    private static final class TwoParts extends ForwardingBlobStore {
        private final CountDownLatch parts = new CountDownLatch(2);

        TwoParts(BlobStore objects) {
            super(objects);
        }

        @Override
        public MultipartPart uploadMultipartPart(MultipartUpload upload, int number, Payload content) {
            parts.countDown();
            try {
                parts.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return super.uploadMultipartPart(upload, number, content);
        }
    }

    /** The process that {@link #aFileIsSentInPartsOfWhichTheHeapHoldsNone} starts. */
    public static void main(String[] place) throws IOException {
        try (CheckpointStore.NewFile file = CheckpointStores.open(place[0]).create("m/large.pack")) {
            ByteBuffer piece = ByteBuffer.allocate(1 << 18);
            for (int sent = 0; sent < BYTES; sent += piece.capacity()) {
                piece.clear().putInt(0, sent);
                file.write(piece);
            }
            file.end();
            file.finish();
        }
    }

    @Test
    void aFileIsSentInPartsOfWhichTheHeapHoldsNone() throws Exception {
        Process writer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dpsf.test.s3=" + s3.endpoint(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        UploadTest.class.getName(),
                        S3Server.place("parts"))
                .inheritIO()
                .start();
        try {
            assertThat(writer.waitFor()).isZero();
        } finally {
            writer.destroyForcibly();
        }
        assertThat(open("parts").file("m/large.pack").bytes()).isEqualTo(BYTES);
        try (SeekableByteChannel file = open("parts").read("m/large.pack")) {
            ByteBuffer number = ByteBuffer.allocate(4);
            file.position(100 << 20).read(number);
            assertThat(number.getInt(0)).isEqualTo(100 << 20);
        }
    }

    /** There is no lock, but the condition of a write. */
    @Test
    void ofTwoObjectsOfOneNameTheSecondIsRefused() throws IOException {
        CheckpointStore store = open("two");
        try (CheckpointStore.NewFile first = store.create("m/a")) {
            CheckpointStore.NewFile second = store.create("m/a"); // closing it would delete the first
            second.write(ByteBuffer.wrap(new byte[] {2}));
            first.write(ByteBuffer.wrap(new byte[] {1}));
            first.finish();
            assertThatThrownBy(second::finish).isInstanceOf(IOException.class).hasStackTraceContaining("412");
        }
        try (SeekableByteChannel file = store.read("m/a")) {
            assertThat(Channels.newInputStream(file).readAllBytes()).containsExactly(1);
        }
        assertThatThrownBy(() -> store.publish("m/a", new byte[] {3})).isInstanceOf(FileAlreadyExistsException.class);
    }
}
