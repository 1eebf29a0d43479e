package io.psf.examples.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdxFileTest {
    private static final byte[] TWO_IMAGES = bytes(0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 255, 51, 102);
    private static final byte[] TWO_LABELS = bytes(0, 0, 8, 1, 0, 0, 0, 2, 7, 3);

    @TempDir
    private Path folder;

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private Path file(String name, byte[] content) throws IOException {
        return Files.write(folder.resolve(name), content);
    }

    @Test
    void imagesAreReadAndNormalized() throws IOException {
        Images images = Images.read(file("images", TWO_IMAGES), file("labels", TWO_LABELS));
        assertThat(images.size()).isEqualTo(2);
        assertThat(images.height()).isEqualTo(1);
        assertThat(images.width()).isEqualTo(2);
        assertThat(images.label(0)).isEqualTo(7);
        assertThat(images.label(1)).isEqualTo(3);
        float[] pixels = new float[3];
        images.normalize(0, pixels, 1);
        assertThat(pixels).containsExactly(new float[] {0, -0.1307f / 0.3081f, (1 - 0.1307f) / 0.3081f}, within(1e-6f));
        Images second = images.portion(1, 2);
        assertThat(second.size()).isEqualTo(1);
        assertThat(second.label(0)).isEqualTo(3);
        second.normalize(0, pixels, 0);
        assertThat(pixels[0]).isEqualTo((0.2f - 0.1307f) / 0.3081f, within(1e-6f));
    }

    @Test
    void anotherMagicNumberIsRefused() throws IOException {
        Path labels = file("labels", TWO_LABELS);
        assertThatThrownBy(() -> IdxFile.read(labels, 3))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("labels: magic number 0x801 (expected: 0x803)");
    }

    @Test
    void aFileThatIsCutIsRefused() throws IOException {
        for (int length = 0; length < TWO_IMAGES.length; length++) {
            Path cut = file("cut", Arrays.copyOf(TWO_IMAGES, length));
            assertThatThrownBy(() -> IdxFile.read(cut, 3))
                    .as("%d bytes", length)
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("cut: ")
                    .hasMessageContaining("expected: ");
        }
    }

    @Test
    void imagesWithoutALabelEachAreRefused() throws IOException {
        Path images = file("images", TWO_IMAGES);
        Path labels = file("labels", bytes(0, 0, 8, 1, 0, 0, 0, 1, 7));
        assertThatThrownBy(() -> Images.read(images, labels)).hasMessageContaining("1 labels (expected: 2");
    }

    @Test
    void aRatingThatIsNotFourNumbersIsRefused() throws IOException {
        Path file = Files.writeString(
                folder.resolve("ratings"), "userId,movieId,rating,timestamp\n1,31,2.5,1260759144\n1,x,2.5,3\n");
        assertThatThrownBy(() -> MovieLens.read(file))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("line 3: \"1,x,2.5,3\" (expected: four numbers");
    }
}
