package io.github.gramian.spark.ml;

import io.github.gramian.eval.Prediction;
import io.github.gramian.model.internal.ModelReference;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Columns for the novelty of an image and for the set of its classes; an empty name is not added.
 *
 * @param coverage of the set; null if there is no set
 */
record CertaintyColumns(
        String novelty, String set, @Nullable Double coverage) implements Serializable {

    boolean isEmpty() {
        return novelty.isEmpty() && set.isEmpty();
    }

    /** Refuses a model that cannot fill them. */
    void require(ModelReference model) {
        if (!novelty.isEmpty()) {
            model.requireNovelty();
        }
        if (!set.isEmpty()) {
            model.requireSets();
        }
    }

    List<StructField> fields() {
        List<StructField> fields = new ArrayList<>();
        if (!novelty.isEmpty()) {
            fields.add(new StructField(novelty, DataTypes.DoubleType, true, Metadata.empty()));
        }
        if (!set.isEmpty()) {
            fields.add(new StructField(
                    set, DataTypes.createArrayType(DataTypes.StringType, false), true, Metadata.empty()));
        }
        return fields;
    }

    /** Adds the values of a row, in the order of {@link #fields}; nulls without a prediction. */
    void addTo(List<@Nullable Object> values, @Nullable Prediction prediction) {
        if (!novelty.isEmpty()) {
            values.add(prediction == null ? null : prediction.novelty().orElseThrow());
        }
        if (coverage != null && !set.isEmpty()) {
            values.add(prediction == null ? null : labels(prediction.set(coverage)));
        }
    }

    private static scala.collection.Seq<String> labels(List<Prediction.Candidate> candidates) {
        return CollectionConverters.asScala(
                        candidates.stream().map(Prediction.Candidate::label).toList())
                .toSeq();
    }
}
