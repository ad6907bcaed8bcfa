cat <<-END
	indented
		twice
	END
echo after
