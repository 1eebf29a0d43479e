package io.psf.spark.ml;

import java.io.IOException;
import java.util.function.Function;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.ml.util.MLWriter;

/** The files of a stage that has another one: Spark's metadata, and the other stage in {@code nested}. */
final class NestedFiles {
    private static final String NESTED = "/nested";

    private NestedFiles() {}

    /** Writes both. */
    static final class Writer extends MLWriter {
        private final Params outer;
        private final MLWritable nested;

        Writer(Params outer, MLWritable nested) {
            this.outer = outer;
            this.nested = nested;
        }

        @Override
        public void saveImpl(String path) {
            StageFiles.write(outer, path, sparkSession());
            try {
                nested.save(path + NESTED);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    /** Reads both. */
    static final class Reader<T extends Params, N> extends MLReader<T> {
        private final Class<T> type;
        private final Class<N> nested;
        private final Function<N, T> making;

        /**
         * Makes a reader.
         *
         * @param making makes the outer stage of the other one
         */
        Reader(Class<T> type, Class<N> nested, Function<N, T> making) {
            this.type = type;
            this.nested = nested;
            this.making = making;
        }

        @Override
        public T load(String path) {
            DefaultParamsReader.Metadata metadata = StageFiles.read(path, sparkSession(), type);
            N other = nested.cast(StageFiles.load(path + NESTED, sparkSession()));
            T outer = making.apply(other);
            metadata.getAndSetParams(outer, scala.Option.empty());
            return outer;
        }
    }
}
