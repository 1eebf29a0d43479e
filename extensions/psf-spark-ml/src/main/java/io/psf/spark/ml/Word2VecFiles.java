package io.psf.spark.ml;

import java.util.List;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWriter;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The files of a model: {@code metadata} as Spark ML has them, and {@code data} with the words, their counts and
 * vectors.
 */
final class Word2VecFiles {
    private static final StructType SCHEMA = new StructType()
            .add("word", DataTypes.StringType, false)
            .add("count", DataTypes.LongType, false)
            .add("vector", DataTypes.createArrayType(DataTypes.FloatType, false), false);

    private Word2VecFiles() {}

    private static String data(String path) {
        return path + "/data";
    }

    /** Writes a model. */
    static final class Writer extends DefaultParamsWriter {
        private final PsWord2VecModel model;

        Writer(PsWord2VecModel model) {
            super(model);
            this.model = model;
        }

        @Override
        public void saveImpl(String path) {
            super.saveImpl(path);
            model.rows(SCHEMA, (words, of, vector) -> RowFactory.create(words.word(of), words.count(of), vector))
                    .write()
                    .parquet(data(path));
        }
    }

    /** Reads a model. */
    static final class Reader extends MLReader<PsWord2VecModel> {
        @Override
        public PsWord2VecModel load(String path) {
            DefaultParamsReader.Metadata metadata = StageFiles.read(path, sparkSession(), PsWord2VecModel.class);
            List<Row> rows = sparkSession().read().parquet(data(path)).collectAsList();
            Vocabulary words = Vocabulary.of(rows);
            int size = rows.get(0).getSeq(2).size();
            float[] all = LocalVectors.allocate(words.size(), size);
            for (Row row : rows) {
                int at = words.find(row.getString(0)) * size;
                for (scala.collection.Iterator<Float> each =
                                row.<Float>getSeq(2).iterator();
                        each.hasNext(); ) {
                    all[at++] = each.next();
                }
            }
            PsWord2VecModel model =
                    new PsWord2VecModel(metadata.uid(), new WordVectors(words, new LocalVectors(size, all)));
            metadata.getAndSetParams(model, metadata.getAndSetParams$default$2());
            return model;
        }
    }
}
