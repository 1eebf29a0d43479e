package io.psf.examples.spark;

import static org.apache.spark.sql.functions.expr;

import io.psf.spark.ml.PsWord2Vec;
import io.psf.spark.ml.PsWord2VecModel;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Vectors of words, which stay on the servers: skip-gram, of which the servers compute the products. An executor is
 * killed during the training.
 */
final class Words {
    private static final List<String> THEMES = List.of("sea", "city", "garden", "music");

    private Words() {}

    /** Trains vectors, and returns how many of the nearest words of four words are of the same theme: 1 if all are. */
    static double run(DemoSpark spark, long sentences, boolean kill) {
        PsWord2Vec words = new PsWord2Vec()
                .setInputCol("words")
                .setOutputCol("vector")
                .setVectorSize(32)
                .setStepSize(.05)
                .setSubsampling(0)
                .setMaxIter(4);
        if (kill) {
            spark.killOneInJob(4); // an epoch in the middle
        }
        spark.say("trains on " + sentences + " sentences of 12 words, in " + words.getMaxIter() + " epochs");
        PsWord2VecModel model = words.fit(sentences(spark, sentences));
        spark.say(model.words() + " words have vectors of " + model.getVectorSize() + " floats");
        int same = 0;
        int all = 0;
        for (String theme : THEMES) {
            String word = theme + "-1";
            List<String> nearest = model.findSynonyms(word, 5).collectAsList().stream()
                    .map(row -> row.getString(0))
                    .toList();
            spark.say("  near " + word + ": " + String.join(", ", nearest));
            same += (int)
                    nearest.stream().filter(each -> each.startsWith(theme)).count();
            all += nearest.size();
        }
        model.release();
        return (double) same / all;
    }

    /** Returns sentences of words of one theme each; the same each time. */
    private static Dataset<Row> sentences(DemoSpark spark, long count) {
        String themes = "array('" + String.join("', '", THEMES) + "')";
        return spark.session()
                .range(0, count, 1, 4)
                .select(expr("transform(sequence(1, 12), i -> concat(" + themes + "[xxhash64(id) & 3], '-', "
                                + "int(pow(50, (xxhash64(id, i) & 65535) / 65536D))))")
                        .as("words"));
    }
}
