package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Names;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.array.ElementType;
import io.psf.runtime.spi.transport.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The tables in {@code docs/protocol.md} have the numbers of the code, and its schemas equal the committed ones.
 */
final class ProtocolDocumentTest {
    private static final Path SCHEMAS = Path.of("../../psf-runtime/src/main/schemas");
    private static final Path BUILTIN = Path.of("../../psf-builtin/src/main/schemas");

    private final String page;

    ProtocolDocumentTest() throws IOException {
        page = Files.readString(Path.of("../../docs/protocol.md"));
    }

    /** Returns the rows of a table as what the first group says of the second. */
    private Map<String, String> rows(String row) {
        Map<String, String> rows = new TreeMap<>();
        Matcher matcher = Pattern.compile(row, Pattern.MULTILINE).matcher(page);
        while (matcher.find()) {
            rows.put(matcher.group(1), matcher.group(2));
        }
        return rows;
    }

    private static <E extends Enum<E>> Map<String, String> numbers(E[] constants, Predicate<E> some) {
        return Arrays.stream(constants)
                .filter(some)
                .collect(Collectors.toMap(each -> String.valueOf(each.ordinal()), Enum::name));
    }

    @Test
    void theCodesAreThoseOfTheirPlaces() {
        assertThat(rows("^\\| (\\d+) \\| `([A-Z_]+)` \\|")).isEqualTo(numbers(PsException.Code.values(), code -> true));
    }

    @Test
    void rolesAndPlacesHaveTheNumbersOfTheirPlaces() {
        assertThat(page).contains("Roles: " + inOrder(Role.values())).contains("Places: " + inOrder(Place.values()));
    }

    private static String inOrder(Enum<?>[] constants) {
        return IntStream.range(0, constants.length)
                .mapToObj(i -> i + " `" + constants[i] + "`")
                .collect(Collectors.joining(", "));
    }

    @Test
    void theKindsOfFramesAreThese() {
        Map<String, String> kinds = new TreeMap<>();
        for (Frame.Kind kind : Frame.Kind.values()) {
            for (int code = 0; code < 256; code++) {
                if (kind.isOf(ByteBuffer.allocate(8).put(4, (byte) code))) {
                    kinds.put("0x" + HexFormat.of().withUpperCase().toHexDigits((byte) code), kind.name());
                }
            }
        }
        assertThat(rows("^\\| `(0xB\\d)` \\| `(\\w+)` \\|")).isEqualTo(kinds);
    }

    @Test
    void theElementTypesAreThese() {
        Map<String, String> types = rows("^\\| (\\d) \\| (int\\d+|float32|float64) \\|");
        List<String> names = List.of("int8", "int32", "int64", "float32", "float64");
        assertThat(types)
                .isEqualTo(numbers(ElementType.values(), type -> true).entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, each -> names.get(Integer.parseInt(each.getKey())))));
    }

    @Test
    void theControlFunctionsAreThoseWithSchemas() throws IOException {
        Map<String, String> functions = new TreeMap<>();
        try (Stream<Path> files = Files.list(SCHEMAS)) {
            files.map(file -> file.getFileName().toString().replace(".schema", ""))
                    .filter(name -> !name.equals("psf.scheduler.journal")) // is in a file, and in no frame
                    .forEach(name -> functions.put(name, "0x" + HexFormat.of().toHexDigits(Names.number(name))));
        }
        assertThat(rows("^\\| `(psf\\.[a-z.]+)` \\| `(0x\\p{XDigit}{8})` \\|")).isEqualTo(functions);
    }

    @Test
    void theSchemasOfThePageAreCommitted() throws IOException {
        Matcher schemas =
                Pattern.compile("^(psf\\.[a-z.]+) at .*$", Pattern.MULTILINE).matcher(page);
        int found = 0;
        while (schemas.find()) {
            assertThat(Files.readAllLines(BUILTIN.resolve(schemas.group(1) + ".schema")))
                    .contains(schemas.group());
            found++;
        }
        assertThat(found).isEqualTo(4);
    }
}
