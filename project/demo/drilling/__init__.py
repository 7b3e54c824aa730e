"""The wells of the sample company, the pipe connections made on them, and what its rigs reported."""
