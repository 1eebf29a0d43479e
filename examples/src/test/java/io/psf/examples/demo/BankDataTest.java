package io.psf.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BankDataTest {
    private final BankTable table = BankTable.load();
    private final BankData data = BankData.split(table, false);

    @Test
    void fourFifthsAreForTraining() {
        assertThat(data.train().size()).isEqualTo(36_168);
        assertThat(data.test().size()).isEqualTo(9_043);
    }

    @Test
    void theSplitIsTheSameEveryTime() {
        BankData again = BankData.split(table, false);
        assertThat(again.train().keys()).isEqualTo(data.train().keys());
        assertThat(again.test().labels()).isEqualTo(data.test().labels());
    }

    @Test
    void everyFieldHasKeysOfItsOwn() {
        Examples train = data.train();
        assertThat(train.fields()).isEqualTo(16);
        long lastOfField = -1;
        for (int f = 0; f < train.fields(); f++) {
            int field = f;
            long[] keys = IntStream.range(0, train.size())
                    .mapToLong(i -> train.keys()[i * train.fields() + field])
                    .toArray();
            assertThat(Arrays.stream(keys).min().orElseThrow()).isGreaterThan(lastOfField);
            lastOfField = Arrays.stream(keys).max().orElseThrow();
        }
        assertThat(lastOfField).isLessThan(data.keys());
        assertThat(Arrays.stream(data.test().keys())).allMatch(key -> key >= 0 && key < data.keys());
    }

    @Test
    void numbersOfTheTrainingPartAreStandardised() {
        Examples train = data.train();
        for (int f = 0; f < train.numerics(); f++) {
            double sum = 0;
            double squares = 0;
            for (int i = 0; i < train.size(); i++) {
                double x = train.numbers()[i * train.numerics() + f];
                sum += x;
                squares += x * x;
            }
            assertThat(sum / train.size()).as("mean of %d", f).isBetween(-1e-3, 1e-3);
            assertThat(squares / train.size()).as("variance of %d", f).isBetween(.999, 1.001);
        }
    }

    @Test
    void theRealisticDataDoesNotKnowTheDuration() {
        BankData realistic = BankData.split(table, true);
        assertThat(realistic.train().fields()).isEqualTo(15);
        assertThat(realistic.train().numerics()).isEqualTo(6);
        assertThat(realistic.train().labels()).isEqualTo(data.train().labels());
    }

    @Test
    void portionsAreOfOneSizeAndShareNoExample() {
        Examples train = data.train().slice(0, 11);
        Examples first = train.portion(0, 3);
        Examples last = train.portion(2, 3);
        assertThat(first.size()).isEqualTo(3);
        assertThat(first.keys()).isEqualTo(train.slice(0, 3).keys());
        assertThat(last.numbers()).isEqualTo(train.slice(6, 9).numbers());
    }

    @Test
    void shufflingKeepsEveryExampleWhole() {
        Examples some = data.train().slice(0, 50);
        Examples shuffled = some.shuffled(3);
        assertThat(shuffled.keys()).isNotEqualTo(some.keys());
        assertThat(texts(shuffled)).containsExactlyInAnyOrder(texts(some));
    }

    private static String[] texts(Examples examples) {
        return IntStream.range(0, examples.size())
                .mapToObj(i -> examples.slice(i, i + 1))
                .map(one ->
                        Arrays.toString(one.keys()) + Arrays.toString(one.numbers()) + Arrays.toString(one.labels()))
                .toArray(String[]::new);
    }
}
