package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.weights.WeightsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Compares the weights of a file with those that the network needs: nothing missing, nothing extra, every shape correct. */
public record NameCheck(Map<String, List<Long>> due) {

    private static final int SHOWN = 6;

    /**
     * Passes, or reports what does not fit.
     *
     * @param found name → shape of what the file has, by our names
     * @param unknown what else it has, by its own names
     */
    public void accept(Path source, BackboneConfig config, Map<String, List<Long>> found, List<String> unknown)
            throws WeightsException {
        List<String> missing =
                due.keySet().stream().filter(name -> !found.containsKey(name)).toList();
        List<String> unexpected = new ArrayList<>(unknown);
        found.keySet().stream().filter(name -> !due.containsKey(name)).forEach(unexpected::add);
        List<String> misshapen = found.entrySet().stream()
                .filter(weight ->
                        due.containsKey(weight.getKey()) && !weight.getValue().equals(due.get(weight.getKey())))
                .map(weight -> weight.getKey() + " " + weight.getValue() + " instead of " + due.get(weight.getKey()))
                .toList();
        if (missing.isEmpty() && unexpected.isEmpty() && misshapen.isEmpty()) {
            return;
        }
        throw new WeightsException(source + " does not fit " + config.key() + ":" + part("missing", missing)
                + part("unexpected", unexpected) + part("of wrong shape", misshapen)
                + " Choose the architecture and variant it was saved from.");
    }

    private static String part(String what, List<String> names) {
        if (names.isEmpty()) {
            return "";
        }
        String shown = String.join(", ", names.subList(0, Math.min(SHOWN, names.size())));
        return " " + names.size() + " " + what + " (" + shown + (names.size() > SHOWN ? ", …" : "") + ").";
    }
}
