package io.psf.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Lists, maps and booleans, on any number of slices. */
class TypesTest {
    private static final TensorId T = TensorId.of("t");

    private static PsfTest<Tags.Request, Tags.Response> tags() {
        return PsfTest.of(TagsPsf.bind(new Tags() {})).tensor(T, 20, 3).values(i -> i % 5);
    }

    @Test
    void mapsAndListsAreTheSameOnAnySlices() {
        Tags.Response response = tags().sameOnAnySlices(
                        new Tags.Request(T, List.of("a", "b", "c"), new boolean[] {true}, Map.of("b", 2.0)));
        assertThat(response.counts()).isEqualTo(Map.of("a", 7, "b", 7, "c", 6));
        assertThat(response.weighted()).isEqualTo(Map.of("a", 14.0, "b", 30.0, "c", 11.0));
        assertThat(response.last()).isEqualTo(Map.of("a", 18L, "b", 19L, "c", 17L));
        assertThat(response.empty()).isEqualTo(Map.of("a", true, "b", true, "c", true));
        assertThat(response.keys()).isEqualTo(LongStream.range(0, 20).boxed().toList());
        assertThat(response.wordOfRow()).hasSize(20).containsEntry("row 19", "b");
        assertThat(response.wordOfRow().keySet())
                .as("in the order of the slices")
                .containsExactlyElementsOf(
                        IntStream.range(0, 20).mapToObj(i -> "row " + i).toList());
    }

    @Test
    void randomOnesAreTheSameOnAnySlices() {
        tags().sameOnAnySlices(20, random -> {
            boolean[] flags = new boolean[1 + random.nextInt(9)];
            for (int i = 0; i < flags.length; i++) {
                flags[i] = random.nextBoolean();
            }
            List<String> words = IntStream.rangeClosed(0, random.nextInt(6))
                    .mapToObj(i -> "\u00e4 " + i)
                    .toList();
            return new Tags.Request(T, words, flags, Map.of(words.get(0), random.nextDouble()));
        });
    }

    @Test
    void aCheckedExceptionIsTheCallsFailure() {
        assertThatThrownBy(() -> tags().call(2, new Tags.Request(T, List.of(), new boolean[1], Map.of())))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.HANDLER_FAILED))
                .hasMessageContaining("threw java.io.IOException: no words");
    }

    @Test
    void halfOfASurrogatePairIsAnErrorAsOnACluster() {
        Tags.Request request = new Tags.Request(T, List.of("a", "\ud83d"), new boolean[1], Map.of());
        assertThatThrownBy(() -> tags().call(2, request))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.BAD_REQUEST))
                .hasMessageContaining("Request.words[1]: character 0: U+D83D");
    }

    @Test
    void entriesThatDifferAreToldByTheirKeys() {
        Differences differences = new Differences(1e-9, 0);
        assertThat(differences.between("response", Map.of("a", 1, "b", 2), Map.of("b", 2, "a", 1)))
                .isNull();
        assertThat(differences.between("response", Map.of("a", 1), Map.of("a", 2)))
                .isEqualTo(new Differences.Difference("response[\"a\"]", "1", "2"));
        assertThat(differences.between("response", Map.of("a", 1), Map.of("b", 1)))
                .isEqualTo(new Differences.Difference("keys of response", "[a]", "[b]"));
    }
}
