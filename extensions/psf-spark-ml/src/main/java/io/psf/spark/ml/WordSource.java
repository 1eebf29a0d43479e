package io.psf.spark.ml;

import java.io.Serial;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** The vocabulary as a source of random words, whose tables each process makes. Thread-safe. */
final class WordSource implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    private static final int TRIES = 20;

    private final Vocabulary words;
    private final double subsampling;
    private final double total;
    private transient volatile Draws.@Nullable Unigrams unigrams;
    private transient volatile float @Nullable [] chances;

    /**
     * Makes a source.
     *
     * @param subsampling the share of all words above which a word is left out at random; 0 for none
     */
    WordSource(Vocabulary words, double subsampling) {
        this.words = words;
        this.subsampling = subsampling;
        this.total = words.total();
    }

    Vocabulary words() {
        return words;
    }

    /** True if an occurrence of a word is to be trained. */
    boolean keeps(int word, Draws draws) {
        float chance = chance(word);
        return chance >= 1 || draws.uniform() < chance;
    }

    private float chance(int word) {
        if (subsampling == 0) {
            return 1;
        }
        float[] known = chances;
        if (known == null) {
            known = makeChances();
        }
        return known[word];
    }

    /** Returns the share of a word in the words that are trained, of which subsampling may leave fewer. */
    double share(int word) {
        return (double) words.count(word) / total * Math.min(1, chance(word));
    }

    /** Returns the share of a word in the negative samples. */
    double drawn(int word) {
        return unigrams().share(word);
    }

    /** Returns a negative sample. */
    int draw(Draws draws) {
        return unigrams().draw(draws);
    }

    private Draws.Unigrams unigrams() {
        Draws.Unigrams known = unigrams;
        return known != null ? known : makeUnigrams();
    }

    /**
     * Returns a negative sample: any word but one. If nearly all words are that one, the next word, which may be it.
     */
    int otherThan(int word, Draws draws) {
        Draws.Unigrams known = unigrams();
        for (int i = 0; i < TRIES; i++) {
            int drawn = known.draw(draws);
            if (drawn != word) {
                return drawn;
            }
        }
        return (word + 1) % words.size();
    }

    private synchronized Draws.Unigrams makeUnigrams() {
        Draws.Unigrams known = unigrams;
        if (known == null) {
            known = new Draws.Unigrams(words);
            unigrams = known;
        }
        return known;
    }

    /** As word2vec.c does: (sqrt(f / t) + 1) t / f for a word of the share f, where t is the threshold. */
    private synchronized float[] makeChances() {
        float[] known = chances;
        if (known == null) {
            known = new float[words.size()];
            double threshold = subsampling * total;
            for (int i = 0; i < known.length; i++) {
                double ratio = threshold / (double) words.count(i);
                known[i] = (float) (Math.sqrt(ratio) + ratio);
            }
            chances = known;
        }
        return known;
    }
}
