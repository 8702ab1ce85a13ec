package io.github.gramian.eval.internal;

import io.github.gramian.InvalidInputException;
import io.github.gramian.eval.EvaluationProtocol;
import java.util.List;

/** Scores under incompatible protocols were to be put into one ranking; the message names what differs. */
public final class IncompatibleProtocolsException extends InvalidInputException {

    private static final long serialVersionUID = 1;

    // transient: the values of a difference are of any type; the message holds them all in words
    private final transient List<EvaluationProtocol.Difference> differences;

    public IncompatibleProtocolsException(
            String first, String second, List<EvaluationProtocol.Difference> differences) {
        super("runs " + first + " and " + second + " were measured under incompatible protocols ("
                + String.join("; ", differences.stream().map(Object::toString).toList())
                + "); evaluate both under one protocol, or allow incompatible ones and read the table with care");
        this.differences = List.copyOf(differences);
    }

    /** The fields of the protocols that differ, with both values. */
    public List<EvaluationProtocol.Difference> differences() {
        return differences;
    }
}
