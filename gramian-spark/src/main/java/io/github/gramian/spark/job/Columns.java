package io.github.gramian.spark.job;

import io.github.gramian.eval.Prediction;
import io.github.gramian.model.Reading;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** The columns of the table of results. Described images and quarantine differ in what is null. */
final class Columns {

    static final String SHARD = "shard";
    static final String POSITION = "position";
    static final String NAME = "name";
    static final String PREDICTION = "prediction";
    static final String LABEL = "label";
    static final String PROBABILITIES = "probabilities";
    static final String DESCRIPTOR = "descriptor";
    static final String SCALE = "scale";
    static final String NOVELTY = "novelty";
    static final String SET = "set";
    static final String REASON = "reason";
    static final String ATTEMPTS = "attempts";
    static final String KIND = "kind";

    static final String DESCRIBED = "described";
    static final String QUARANTINE = "quarantine";

    static final StructType SCHEMA = new StructType(new StructField[] {
        column(SHARD, DataTypes.StringType),
        column(POSITION, DataTypes.IntegerType),
        column(NAME, DataTypes.StringType),
        column(PREDICTION, DataTypes.IntegerType),
        column(LABEL, DataTypes.StringType),
        column(PROBABILITIES, DataTypes.createArrayType(DataTypes.FloatType, false)),
        column(DESCRIPTOR, DataTypes.BinaryType),
        column(SCALE, DataTypes.FloatType),
        column(NOVELTY, DataTypes.DoubleType),
        column(SET, DataTypes.createArrayType(DataTypes.StringType, false)),
        column(REASON, DataTypes.StringType),
        column(ATTEMPTS, DataTypes.IntegerType),
        column(KIND, DataTypes.StringType),
    });

    private Columns() {}

    private static StructField column(String name, DataType type) {
        return new StructField(name, type, true, Metadata.empty());
    }

    /** Where an image lies. */
    record Place(String shard, int position, String name) {}

    static Row described(Place place, Reading reading, DescribeSettings settings) {
        Prediction prediction = reading.prediction();
        DescriptorEncoding.@Nullable Encoded encoded =
                settings.encoding() == null ? null : settings.encoding().encode(reading.descriptor());
        return RowFactory.create(
                place.shard,
                place.position,
                place.name,
                prediction.predicted(),
                prediction.label(),
                settings.probabilities() ? sequence(boxed(prediction.probabilities())) : null,
                encoded == null ? null : encoded.bytes(),
                encoded == null ? null : encoded.scale(),
                prediction.novelty().isPresent() ? prediction.novelty().getAsDouble() : null,
                settings.coverage() == null ? null : sequence(labels(prediction.set(settings.coverage()))),
                null,
                null,
                DESCRIBED);
    }

    static Row quarantined(Place place, String reason, int attempts) {
        return RowFactory.create(
                place.shard,
                place.position,
                place.name,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                reason,
                attempts,
                QUARANTINE);
    }

    private static List<Float> boxed(float[] values) {
        List<Float> list = new ArrayList<>(values.length);
        for (float number : values) {
            list.add(number);
        }
        return list;
    }

    private static List<String> labels(List<Prediction.Candidate> candidates) {
        return candidates.stream().map(Prediction.Candidate::label).toList();
    }

    private static <T> scala.collection.Seq<T> sequence(List<T> list) {
        return CollectionConverters.asScala(list).toSeq();
    }
}
