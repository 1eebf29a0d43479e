package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The frames in {@code protocol-vectors.json}, from which programs in other languages are tested, are what psf writes
 * and reads. {@code -Dvectors.update=true} rewrites what follows from the requests, the bodies of answers, and the
 * fields of headers that a caller chooses.
 */
final class ProtocolVectorsTest {
    private static final Path FILE =
            Path.of("../../psf-testkit/src/main/resources/io/psf/testkit/protocol-vectors.json");

    @Test
    void theBytesOfEachVectorAreWrittenFromItsFieldsAndItsFieldsAreReadFromItsBytes() throws IOException {
        Map<String, Object> file = Json.read(Files.readString(FILE));
        if (Boolean.getBoolean("vectors.update")) {
            Files.writeString(FILE, Json.text(Vectors.made(file, true)));
            return;
        }
        assertThat(Json.text(Vectors.made(file, false))).isEqualTo(Files.readString(FILE));
    }
}
