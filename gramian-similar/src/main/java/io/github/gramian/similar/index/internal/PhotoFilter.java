package io.github.gramian.similar.index.internal;

import io.github.gramian.io.internal.Text;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.jspecify.annotations.Nullable;

/**
 * Filters as users write them: {@code label=oak}, {@code path=2024/*}, {@code hash=…}, {@code after=2024-05-01},
 * {@code before=2025-01-01}. Filters of one field are alternatives; those of different fields must all hold.
 */
public final class PhotoFilter {

    private static final int MAX = 1000;
    private static final int DAY_LENGTH = "2025-01-31".length();

    private PhotoFilter() {}

    /** The query of some filters; null for none. */
    public static @Nullable Query of(List<String> filters) {
        if (filters.isEmpty()) {
            return null;
        }
        if (filters.size() > MAX) {
            throw new IllegalArgumentException(
                    "at most " + MAX + " filters are possible, but there are " + filters.size());
        }
        Map<String, BooleanQuery.Builder> fields = new TreeMap<>();
        for (String filter : filters) {
            int equals = filter.indexOf('=');
            String field = equals < 0 ? filter : filter.substring(0, equals);
            String value = equals < 0 ? "" : filter.substring(equals + 1);
            fields.computeIfAbsent(field, name -> new BooleanQuery.Builder())
                    .add(one(filter, field, value), Occur.SHOULD);
        }
        BooleanQuery.Builder all = new BooleanQuery.Builder();
        fields.values().forEach(alternatives -> all.add(alternatives.build(), Occur.FILTER));
        return all.build();
    }

    private static Query one(String filter, String field, String value) {
        return switch (field) {
            case "label" -> new TermQuery(new Term(Lucene.LABEL, value));
            case "hash" -> new TermQuery(new Term(Lucene.HASH, value));
            case "path" ->
                value.endsWith("*")
                        ? new PrefixQuery(new Term(Lucene.PATH, value.substring(0, value.length() - 1)))
                        : new TermQuery(new Term(Lucene.PATH, value));
            case "after" -> LongPoint.newRangeQuery(Lucene.TIME, millis(filter, value), Long.MAX_VALUE);
            case "before" -> LongPoint.newRangeQuery(Lucene.TIME, Long.MIN_VALUE, millis(filter, value) - 1);
            default ->
                throw new IllegalArgumentException("'" + filter
                        + "' is not a filter; write label=NAME, path=START*, hash=SHA256, after=YYYY-MM-DD or"
                        + " before=YYYY-MM-DD");
        };
    }

    private static long millis(String filter, String day) {
        try {
            // Java also reads years of nine digits, whose milliseconds are too many for a number.
            return LocalDate.parse(Text.shortened(day, DAY_LENGTH))
                    .atStartOfDay(ZoneOffset.UTC)
                    .toInstant()
                    .toEpochMilli();
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("the filter '" + filter + "' needs a day such as 2025-01-31", e);
        }
    }
}
